import { body, Followed } from '@quartet/kit';
import { api, live } from '../service.ts';

const EVERY_MS = 30_000;

/** Statistics for the summary and the navigation. */
export const stats = new Followed(
  () => body(api.GET('/api/stats')),
  (ask) => {
    // Polled, because there is no event for disk space or for the schedule of speed limits.
    const timer = setInterval(ask, EVERY_MS);
    return [live.on('changed', ask), live.onReload(ask), () => clearInterval(timer)];
  },
);

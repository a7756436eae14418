import { body, Followed } from '@quartet/kit';
import { api, live } from '../service.ts';

const EVERY_MS = 30_000;

/** The figures over everything, for the summary and the navigation. */
export const stats = new Followed(
  () => body(api.GET('/api/stats')),
  (ask) => {
    // Nobody tells when other programs fill the disk or the time of day changes the limit.
    const timer = setInterval(ask, EVERY_MS);
    return [live.on('changed', ask), live.onReload(ask), () => clearInterval(timer)];
  },
);

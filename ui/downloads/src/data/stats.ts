import { body, Loader } from '@quartet/kit';
import { api, live } from '../service.ts';

/**
 * Statistics for the summary and the navigation. Polled as well, because there is no event for
 * disk space or for the schedule of speed limits.
 */
export const stats = new Loader(() => body(api.GET('/api/stats')), {
  live,
  reloadOn: (refresh) => [live.on('changed', refresh)],
  pollMs: 30_000,
});

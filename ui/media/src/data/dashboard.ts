import { body, Loader } from '@quartet/kit';
import { api, live } from '../service.ts';

const EVENTS = [
  'job.progress',
  'job.removed',
  'inbox.added',
  'item.updated',
  'history.changed',
  'watch.changed',
  'folders.changed',
];

/** Summary for the start page, the inbox badge and the status line. */
export const dashboardLoader = new Loader(() => body(api.GET('/api/dashboard')), {
  live,
  reloadOn: (refresh) => EVENTS.map((type) => live.on(type, refresh)),
});

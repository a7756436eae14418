import { body, Followed } from '@quartet/kit';
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
export const going = new Followed(
  () => body(api.GET('/api/dashboard')),
  (ask) => [live.onReload(ask), ...EVENTS.map((type) => live.on(type, ask))],
);

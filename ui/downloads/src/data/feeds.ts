import { body, Loader } from '@quartet/kit';
import { api, live } from '../service.ts';
import { whenChanged } from './changed.ts';
import type { Feed } from './types.ts';

export const feeds = new Loader<Feed[]>(() => body(api.GET('/api/feeds')), {
  live,
  reloadOn: (refresh) => [whenChanged(['feeds'], refresh)],
});

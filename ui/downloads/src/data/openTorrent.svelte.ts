import { body, Loader } from '@quartet/kit';
import { api, live } from '../service.ts';
import { whenChanged } from './changed.ts';
import type { ProgressEvent, Torrent } from './types.ts';

/** Load a torrent and reload it with each progress, until the loader is stopped. */
export function torrentLoader(packageId: number): Loader<Torrent> {
  const params = { path: { package_id: packageId } };
  return new Loader(() => body(api.GET('/api/torrents/{package_id}', { params })), {
    live,
    reloadOn: (refresh) => [
      live.on<ProgressEvent>('progress', refresh),
      whenChanged(['downloads'], refresh),
    ],
  });
}

import { bytes, dateTime, type Column } from '@quartet/kit';
import type { HistoryEntry } from '../data/types.ts';
import * as m from '../paraglide/messages.js';

export const hostName = (host: string): string =>
  host === 'torrent' ? m.history_torrents() : host;

/** The newest entries come first, and older ones are loaded on request, so they are not sorted. */
export function columns(): Column<HistoryEntry>[] {
  return [
    {
      key: 'name',
      label: m.column_name(),
      text: ({ name }) => name,
      width: 'minmax(12rem, 3fr)',
      narrow: 'title',
    },
    {
      key: 'package',
      label: m.column_package(),
      text: ({ packageName }) => packageName,
      width: 'minmax(8rem, 2fr)',
      narrow: 'hidden',
    },
    {
      key: 'host',
      label: m.column_host(),
      text: ({ host }) => hostName(host),
      width: 'minmax(6rem, 1fr)',
      narrow: 'bare',
    },
    {
      key: 'size',
      label: m.column_size(),
      text: ({ size }) => (size === null ? '' : bytes(size)),
      width: '6.5rem',
      align: 'end',
      narrow: 'side',
    },
    {
      key: 'finished',
      label: m.column_finished(),
      text: ({ finishedAt }) => dateTime(finishedAt / 1000),
      width: '11rem',
      align: 'end',
      narrow: 'bare',
    },
  ];
}

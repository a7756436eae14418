import type { Column } from '@quartet/kit';
import { hostText } from '../data/hosts.ts';
import { onlineOf } from '../data/states.ts';
import type { Download } from '../data/types.ts';
import * as m from '../paraglide/messages.js';
import { fileName, sizeText } from '../queue/columns.ts';

export function columns(): Column<Download>[] {
  return [
    {
      key: 'name',
      label: m.column_name(),
      text: fileName,
      sort: fileName,
      width: 'minmax(12rem, 3fr)',
      narrow: 'title',
    },
    {
      key: 'host',
      label: m.column_host(),
      text: ({ host }) => hostText(host),
      sort: ({ host }) => hostText(host),
      width: 'minmax(6rem, 1fr)',
      narrow: 'bare',
    },
    {
      key: 'size',
      label: m.column_size(),
      text: (download) => sizeText(download.size),
      sort: (download) => download.size ?? -1,
      width: '6rem',
      align: 'end',
      narrow: 'line',
    },
    {
      key: 'online',
      label: m.column_online(),
      text: (download) => onlineOf(download).word,
      sort: (download) => download.online,
      width: '9rem',
      narrow: 'side',
    },
  ];
}

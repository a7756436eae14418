import { bytes, dateTime, type Column } from '@quartet/kit';
import { progress } from '../data/progress.svelte.ts';
import type { FileEntry } from '../data/types.ts';
import * as m from '../paraglide/messages.js';
import { stateOf } from './states.ts';

const stateText = (entry: FileEntry): string => stateOf(entry, progress.unpacking)?.word ?? '';

export const sizeText = ({ size }: FileEntry): string =>
  size === null ? m.done_counting() : bytes(size);

export function columns(): Column<FileEntry>[] {
  return [
    {
      key: 'name',
      label: m.column_name(),
      text: ({ name }) => name,
      // Folders come before files.
      sort: ({ dir, name }) => `${dir ? 0 : 1} ${name}`,
      width: 'minmax(12rem, 3fr)',
      narrow: 'title',
    },
    {
      key: 'state',
      label: m.column_state(),
      text: stateText,
      sort: stateText,
      width: 'minmax(10rem, 1fr)',
      narrow: 'side',
    },
    {
      key: 'size',
      label: m.column_size(),
      text: sizeText,
      sort: ({ size }) => size ?? -1,
      width: '6.5rem',
      align: 'end',
    },
    {
      key: 'modified',
      label: m.done_modified(),
      text: ({ modified }) => dateTime(modified / 1000),
      sort: ({ modified }) => modified,
      width: '11rem',
      align: 'end',
      // Two labels would not fit next to each other.
      narrow: 'bare',
    },
  ];
}

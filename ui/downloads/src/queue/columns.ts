import { bytes, percent, speed, timeLeft, type Column } from '@quartet/kit';
import { figuresOf, type Figures } from '../data/figures.ts';
import { hostText } from '../data/hosts.ts';
import { queue } from '../data/packages.svelte.ts';
import { folderOf } from '../data/paths.ts';
import { progress } from '../data/progress.svelte.ts';
import { hostsOf, type Row } from '../data/rows.ts';
import type { Download } from '../data/types.ts';
import * as m from '../paraglide/messages.js';

const now = (row: Row) => figuresOf(row, progress.items, queue.byId);
const share = (row: Row): number => now(row).share ?? 0;
const shareText = ({ done, share: known }: Figures): string =>
  known !== undefined ? percent(known) : done > 0 ? bytes(done) : '';
const secondsLeft = (row: Row): number => {
  const { done, size, speed: bytesPerSecond } = now(row);
  return size && bytesPerSecond ? (size - done) / bytesPerSecond : Infinity;
};

/** Files of a torrent have their folder: several may have the same name. */
export const fileName = ({ torrentPath, name }: Download): string =>
  [folderOf(torrentPath ?? ''), name].filter(Boolean).join('/');
export const nameOf = (row: Row): string =>
  row.kind === 'package' ? row.package.name : fileName(row.download);

const hostNames = (row: Row): string =>
  (row.kind === 'download' ? [row.download.host] : hostsOf(row.shown)).map(hostText).join(', ');

/** The window width below which the table shows cards instead of columns. */
export const NARROW_BELOW = 634;
/**
 * Columns that are hidden below these window widths, because the others would be wider than the
 * table; the details contain them.
 */
const LEFT_OUT_BELOW: Record<string, number> = { host: 1250, left: 1180, size: 1028, speed: 924 };
/** The window width below which the column of hosts shows icons only. */
const NARROW_HOST_BELOW = 1400;
/** On lower windows the list needs the room more than the chart above it. */
const LOW_BELOW = 960;
export const chartHeight = (windowHeight: number): number => (windowHeight < LOW_BELOW ? 84 : 160);
/** The width of the details next to the table. */
const DETAILS = 368;

/** How wide a window without details would have to be to give the table this much room. */
const roomOf = (width: number, split: boolean): number => (split ? width - DETAILS : width);
/** The window width from which the toolbar shows its actions next to the search, in German too. */
const ACTIONS_FROM = 1240;
export const hasRoomForActions = (width: number, split: boolean): boolean =>
  roomOf(width, split) >= ACTIONS_FROM;
export const hasNarrowHost = (width: number, split: boolean): boolean =>
  roomOf(width, split) < NARROW_HOST_BELOW;

/** On phones, one line shows the progress, and the order is one of the sort options. */
export function columns(width: number, split: boolean): Column<Row>[] {
  if (width >= NARROW_BELOW) {
    const room = roomOf(width, split);
    const shown = wideColumns(hasNarrowHost(width, split)).filter(
      ({ key }) => room >= (LEFT_OUT_BELOW[key] ?? 0),
    );
    return shown.length > FEWEST ? shown : shown.map(narrowerName);
  }
  const order = { key: ORDER, label: m.order(), text: () => '', sort: () => 0 };
  const line = { key: 'now', label: '', text: () => '', narrow: 'bare' as const };
  const others = wideColumns(false).map((column) => ({
    ...column,
    narrow: column.narrow ?? 'hidden',
  }));
  return [{ ...order, narrow: 'hidden' }, ...others, line];
}

/** Name, progress and state, which are always shown. */
const FEWEST = 3;
const narrowerName = (column: Column<Row>): Column<Row> =>
  column.key === 'name' ? { ...column, width: 'minmax(7.5rem, 3fr)' } : column;

/** The sort option for no sorting. */
export const ORDER = 'order';

function wideColumns(narrowHost: boolean): Column<Row>[] {
  return [
    {
      key: 'name',
      label: m.column_name(),
      text: nameOf,
      sort: nameOf,
      width: 'minmax(12rem, 3fr)',
      narrow: 'title',
    },
    {
      key: 'host',
      label: m.column_host(),
      text: hostNames,
      sort: hostNames,
      width: narrowHost ? '2.75rem' : 'minmax(5rem, 1.7fr)',
    },
    {
      key: 'progress',
      label: m.column_progress(),
      text: (row) => shareText(now(row)),
      sort: share,
      width: 'minmax(8rem, 1.6fr)',
    },
    {
      key: 'size',
      label: m.column_size(),
      text: (row) => sizeText(now(row).size),
      sort: (row) => now(row).size ?? -1,
      width: '5.25rem',
      align: 'end',
    },
    {
      key: 'speed',
      label: m.column_speed(),
      text: (row) => (now(row).speed > 0 ? speed(now(row).speed) : ''),
      sort: (row) => now(row).speed,
      width: '6.25rem',
      align: 'end',
    },
    {
      key: 'left',
      label: m.column_left(),
      text: (row) => {
        const { done, size, speed: bytesPerSecond } = now(row);
        return size ? (timeLeft(size - done, bytesPerSecond) ?? '') : '';
      },
      sort: secondsLeft,
      width: '6.5rem',
      align: 'end',
    },
    {
      key: 'state',
      label: m.column_state(),
      text: (row) => now(row).word,
      sort: (row) => now(row).word,
      // Fits the longest text in both languages.
      width: '11.5rem',
      narrow: 'side',
    },
  ];
}

/** What a phone shows instead of the progress: the reason, or a state that needs a word. */
export function lineWords(row: Row): string | undefined {
  const figures = now(row);
  if (figures.reason) return figures.reason;
  return figures.plain ? undefined : [figures.word, lineText(figures)].filter(Boolean).join(' · ');
}

/** "42 % of 6 MB, 1.2 MB/s", as far as known. */
export function lineText(figures: Figures): string {
  const known = [shareText(figures), figures.size ? bytes(figures.size) : ''];
  const parts = [known.filter(Boolean).join(' / '), figures.speed > 0 ? speed(figures.speed) : ''];
  return parts.filter(Boolean).join(' · ');
}

export const sizeText = (size: number | null | undefined): string =>
  size === null || size === undefined ? '–' : bytes(size);

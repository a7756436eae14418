import type { Column } from '@quartet/kit';
import { folderOf, nameOf } from '../data/paths.ts';
import type { JobConfig, JobItem } from '../data/types.ts';
import { stateOf } from '../data/labels.ts';
import * as m from '../paraglide/messages.js';

const ORDER = ['failed', 'needs_review', 'parsed', 'matched', 'ready', 'done', 'undone', 'skipped'];

export function columnsFor(mode: JobConfig['mode']): Column<JobItem>[] {
  const columns: Column<JobItem>[] = [
    {
      key: 'before',
      // The old name is above the new one, so that neither is cut off.
      label: m.col_names(),
      text: ({ path }) => nameOf(path),
      sort: ({ path }) => path,
      width: 'minmax(16rem, 1fr)',
      narrow: 'title',
    },
    {
      key: 'match',
      label: m.col_match(),
      text: () => '',
      sort: ({ confidence }) => confidence,
      width: '7rem',
      narrow: 'hidden',
    },
    {
      key: 'state',
      label: m.state(),
      text: (item) => stateOf(item).word,
      sort: ({ state }) => ORDER.indexOf(state),
      width: '7.5rem',
      narrow: 'side',
    },
    { key: 'acts', label: '', text: () => '', width: '2.25rem', narrow: 'hidden' },
  ];
  return mode === 'rules' ? columns.filter(({ key }) => key !== 'match') : columns;
}

export type Filter = 'all' | 'review' | 'ready' | 'problem' | 'done';

export function fits(item: JobItem, filter: Filter): boolean {
  if (filter === 'all') return true;
  if (filter === 'review') return item.state === 'needs_review' && !item.excluded;
  if (filter === 'ready') return item.state === 'ready' && !item.excluded;
  if (filter === 'done') return item.state === 'done';
  return item.state === 'failed' || item.conflict !== null || item.error !== null;
}

/** Every typed word must occur in the old or new path. */
export function finds(item: JobItem, words: string): boolean {
  const text = `${item.path} ${item.target ?? ''}`.toLocaleLowerCase();
  return words
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Files with the same parsed title. */
export function sameTitle(item: JobItem, items: readonly JobItem[]): JobItem[] {
  const key = titleKey(item);
  return items.filter(
    (one) => one.id !== item.id && !['done', 'undone'].includes(one.state) && titleKey(one) === key,
  );
}

const titleKey = ({ parsed, path }: JobItem): string =>
  parsed?.title
    ? `${parsed.kind?.value} ${parsed.title.toLocaleLowerCase()} ${parsed.year ?? ''}`
    : folderOf(path);

/** Whether another file waits for review for the same reasons, with the same match. */
export function sameDoubt(one: JobItem, shown: JobItem): boolean {
  const entryOf = ({ match }: JobItem): string => `${match?.best?.provider} ${match?.best?.id}`;
  return (
    one.state === 'needs_review' &&
    one.target !== null &&
    one.conflict === null &&
    entryOf(one) === entryOf(shown) &&
    one.reasons.join() === shown.reasons.join()
  );
}

import type { HistoryEntry, HistoryPage } from '../data/types.ts';
import * as m from '../paraglide/messages.js';

/** Consecutive entries of one run; newest first. */
export interface HistoryGroup {
  key: string;
  jobId: number | null;
  entries: HistoryEntry[];
  /** Times of the newest and the oldest entry, in milliseconds since 1970. */
  at: number;
  from: number;
  /** Entries that can still be undone. */
  undoable: HistoryEntry[];
  /** The whole job, if not all of its entries are loaded. */
  whole?: NonNullable<HistoryPage['continued']>;
}

export function groupsOf(
  entries: readonly HistoryEntry[],
  continued: HistoryPage['continued'] = null,
): HistoryGroup[] {
  const groups: HistoryGroup[] = [];
  for (const entry of entries) {
    let group = groups.at(-1);
    if (!group || !isSameRun(group, entry)) {
      const { id, jobId, executedAt: at } = entry;
      group = { key: String(id), jobId, entries: [], at, from: at, undoable: [] };
      groups.push(group);
    }
    group.entries.push(entry);
    group.from = Math.min(group.from, entry.executedAt);
    if (entry.undoneAt === null) group.undoable.push(entry);
  }
  const last = groups.at(-1);
  if (last && continued && last.jobId === continued.jobId) last.whole = continued;
  return groups;
}

/** Imported entries have no job; those of one run have the same time. */
function isSameRun({ jobId, at }: HistoryGroup, entry: HistoryEntry): boolean {
  return jobId === entry.jobId && (jobId !== null || at === entry.executedAt);
}

/**
 * Describes what was done and not undone; companion files count, junk does not. If everything was
 * undone, it describes what was done before.
 */
export function wordsOf({ entries, undoable, whole }: HistoryGroup): string {
  const left = undoable.length > 0 ? undoable : entries;
  const loaded = left.filter(({ role }) => ['main', 'companion'].includes(role)).length;
  const count = whole?.files || loaded;
  const action = entries.find(({ role }) => role === 'main')?.action ?? entries[0]?.action;
  if (action === 'copy') return m.history_copied({ count });
  return action === 'move' ? m.history_moved({ count }) : m.history_linked({ count });
}

/** The entries in the order in which they matter. */
export function junkLast(entries: readonly HistoryEntry[]): HistoryEntry[] {
  const isJunk = ({ role }: HistoryEntry): boolean => role === 'junk';
  return [...entries.filter((one) => !isJunk(one)), ...entries.filter(isJunk)];
}

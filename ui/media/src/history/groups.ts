import type { HistoryEntry } from '../data/types.ts';
import * as m from '../paraglide/messages.js';

/** Entries of one run that stand together in the timeline; newest first. */
export interface HistoryGroup {
  key: string;
  jobId: number | null;
  entries: HistoryEntry[];
  /** Milliseconds since 1970, of the newest and the oldest. */
  at: number;
  from: number;
  /** Those that can still be put back. */
  undoable: HistoryEntry[];
}

export function groupsOf(entries: readonly HistoryEntry[]): HistoryGroup[] {
  const groups: HistoryGroup[] = [];
  for (const entry of entries) {
    let group = groups.at(-1);
    if (!group || group.jobId === null || group.jobId !== entry.jobId) {
      const { id, jobId, executedAt: at } = entry;
      group = { key: String(id), jobId, entries: [], at, from: at, undoable: [] };
      groups.push(group);
    }
    group.entries.push(entry);
    group.from = Math.min(group.from, entry.executedAt);
    if (entry.undoneAt === null) group.undoable.push(entry);
  }
  return groups;
}

/** What was done, in words: companions count as files, junk does not. */
export function wordsOf({ entries }: HistoryGroup): string {
  const count = entries.filter(({ role }) => role !== 'junk').length;
  const action = entries.find(({ role }) => role === 'main')?.action ?? entries[0]?.action;
  if (action === 'copy') return m.history_copied({ count });
  return action === 'move' ? m.history_moved({ count }) : m.history_linked({ count });
}

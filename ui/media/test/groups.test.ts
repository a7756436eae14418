import { expect, it } from 'vitest';
import type { HistoryEntry } from '../src/data/types.ts';
import { groupsOf, junkLast } from '../src/history/groups.ts';

const entry = (id: number, jobId: number, role: HistoryEntry['role'] = 'main') =>
  ({ id, jobId, role, action: 'move', executedAt: id, undoneAt: null }) as HistoryEntry;

it('knows the whole job of which only some entries are loaded', () => {
  const whole = { jobId: 1, files: 300, undoable: 360, since: 0 };
  const [newer, cut] = groupsOf([entry(9, 2), entry(8, 1), entry(7, 1)], whole);
  expect(newer?.whole).toBeUndefined();
  expect(cut?.whole).toBe(whole);
});

it('lists junk after the files of a job', () => {
  const entries = [entry(3, 1, 'junk'), entry(2, 1), entry(1, 1, 'companion')];
  expect(junkLast(entries).map(({ id }) => id)).toEqual([2, 1, 3]);
});

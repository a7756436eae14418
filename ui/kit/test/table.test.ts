import { describe, expect, it } from 'vitest';
import { nextSort, type Column } from '../src/table/column.ts';
import { extended, toggled, toggledAll, visibleSelection } from '../src/table/selection.ts';
import { Slots } from '../src/table/slots.ts';
import { sortRows } from '../src/table/sort.ts';
import { moved, windowOf } from '../src/table/window.ts';

describe('window', () => {
  it('renders the visible rows and a few more', () => {
    const { first, end } = windowOf(36_000, 720, 36, 100_000);
    expect(first).toBeLessThanOrEqual(1000);
    expect(end).toBeGreaterThanOrEqual(1020);
    expect(end - first).toBeLessThan(50);
  });

  it('stays inside the list', () => {
    expect(windowOf(0, 720, 36, 3)).toEqual({ first: 0, end: 3 });
    expect(windowOf(50_000, 720, 36, 10)).toEqual({ first: 10, end: 10 });
    expect(windowOf(0, 0, 36, 0)).toEqual({ first: 0, end: 0 });
  });
});

describe('slots', () => {
  it('reuses slots of rows that leave the view', () => {
    const slots = new Slots();
    const list: string[] = [];
    expect(slots.assign(['a', 'b', 'c'], list)).toEqual([0, 1, 2]);
    expect(slots.assign(['b', 'c', 'd'], list)).toEqual([1, 2, 0]);
    expect(slots.assign(['x', 'y', 'z', 'b'], list).toSorted()).toEqual([0, 1, 2, 3]);
  });

  it('creates slots for rows that were not in the list', () => {
    const slots = new Slots();
    slots.assign(['a', 'b'], ['before']);
    expect(slots.assign(['b', 'c'], ['after'])).toEqual([1, 2]);
  });
});

describe('keys', () => {
  it.each([
    ['ArrowDown', 5, 6],
    ['ArrowUp', 0, 0],
    ['PageDown', 5, 15],
    ['PageDown', 95, 99],
    ['Home', 50, 0],
    ['End', 50, 99],
    ['ArrowDown', -1, 0],
  ])('%s from %d', (key, from, to) => expect(moved(key, from, 100, 10)).toBe(to));

  it('ignores other keys and empty lists', () => {
    expect(moved('x', 0, 100, 10)).toBeUndefined();
    expect(moved('End', -1, 0, 10)).toBeUndefined();
  });
});

describe('selection', () => {
  it('toggles rows', () => {
    expect([...toggled(new Set(['a']), 'b')]).toEqual(['a', 'b']);
    expect([...toggled(new Set(['a', 'b']), 'a')]).toEqual(['b']);
  });

  it('counts only visible rows', () =>
    expect(visibleSelection(new Set(['a', 'hidden']), ['b', 'a'])).toEqual(['a']));

  it('selects all visible rows regardless of hidden ones', () => {
    const shown = ['a', 'b'];
    expect([...toggledAll(new Set(['hidden', 'a']), shown)]).toEqual(shown);
    expect([...toggledAll(new Set(['hidden', ...shown]), shown)]).toEqual([]);
  });

  it('extends in both directions', () => {
    expect([...extended(new Set(), ['a', 'b', 'c', 'd'], 2, 1)]).toEqual(['b', 'c']);
    expect([...extended(new Set(['d']), ['a', 'b', 'c', 'd'], 0, 1)]).toEqual(['d', 'a', 'b']);
  });
});

describe('sort', () => {
  const rows = [
    { name: 'part10', size: 1 },
    { name: 'Part2', size: 3 },
    { name: 'ärger', size: 2 },
  ];
  const columns: Column<(typeof rows)[number]>[] = [
    { key: 'name', label: '', text: (row) => row.name, sort: (row) => row.name },
    { key: 'size', label: '', text: (row) => `${row.size}`, sort: (row) => row.size },
    { key: 'fixed', label: '', text: () => '' },
  ];
  const names = (sort: string): string[] => sortRows(rows, columns, sort, 'de').map((r) => r.name);

  it('compares digits in names as numbers', () =>
    expect(names('name')).toEqual(['ärger', 'Part2', 'part10']));
  it('sorts descending', () => expect(names('-size')).toEqual(['Part2', 'ärger', 'part10']));
  it('keeps the order of unsortable columns', () =>
    expect(names('fixed')).toEqual(['part10', 'Part2', 'ärger']));
  it('reverses on the second press', () => {
    expect(nextSort('', 'size')).toBe('size');
    expect(nextSort('size', 'size')).toBe('-size');
    expect(nextSort('-size', 'size')).toBe('size');
  });
});

import { describe, expect, it } from 'vitest';
import type { Command } from '../src/shell/app.ts';
import { filterCommands } from '../src/shell/filter.ts';
import { sparkline } from '../src/parts/sparkline.ts';

const command = (group: string, label: string): Command => ({
  group,
  label,
  icon: undefined as never,
  run: () => undefined,
});

describe('commands', () => {
  const all = [
    command('Go to', 'Overview'),
    command('Look', 'Theme: Dark'),
    command('Look', 'Theme: Light'),
  ];
  const labels = (query: string): string[] =>
    filterCommands(all, query).map((found) => found.label);

  it('matches the beginnings of words in any order', () => {
    expect(labels('')).toHaveLength(3);
    expect(labels('da th')).toEqual(['Theme: Dark']);
    expect(labels('LOOK')).toEqual(['Theme: Dark', 'Theme: Light']);
    expect(labels('heme')).toEqual([]);
  });
});

describe('sparkline', () => {
  it('ends at the right edge', () => {
    const { line, end } = sparkline([1, 2, 3], 5);
    expect(line).toMatch(/^M50 .*L100 \d/);
    expect(end).toBeLessThan(0.5);
  });

  it('keeps a constant series flat', () =>
    expect(sparkline([100, 100.1], 2).end).toBeCloseTo(0.5, 1));

  it('starts at its floor', () => {
    expect(sparkline([0, 0], 2, 0).end).toBeCloseTo(0.94, 2);
    expect(sparkline([0, 5], 2, 0).end).toBeCloseTo(0.06, 2);
  });

  it('draws nothing without values', () =>
    expect(sparkline([], 5)).toEqual({ line: '', area: '' }));
});

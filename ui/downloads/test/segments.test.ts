import { describe, expect, it } from 'vitest';
import { mirrorsOf } from '../src/data/mirrors.ts';
import { stretches } from '../src/data/segments.ts';
import type { Download } from '../src/data/types.ts';

describe('file segments', () => {
  it('are as wide as their share of the file', () => {
    const shown = stretches(
      [
        { from: 0, to: 50, done: 50 },
        { from: 50, to: 75, done: 5 },
        { from: 75, to: 100, done: 0 },
      ],
      100,
    );
    expect(shown).toEqual([
      { start: 0, width: 0.5, filled: 1 },
      { start: 0.5, width: 0.25, filled: 0.2 },
      { start: 0.75, width: 0.25, filled: 0 },
    ]);
  });

  it('extend to the end of the file if their end is unknown', () => {
    expect(stretches([{ from: 0, to: null, done: 10 }], 40)).toEqual([
      { start: 0, width: 1, filled: 0.25 },
    ]);
  });

  it('are not drawn without a size, and never exceed the bar', () => {
    expect(stretches([{ from: 0, to: null, done: 10 }], undefined)).toEqual([]);
    expect(stretches([{ from: 0, to: 10, done: 12 }], 10)[0]?.filled).toBe(1);
    expect(stretches([{ from: 0, to: 0, done: 0 }], 10)).toEqual([]);
  });
});

describe('mirrors', () => {
  const at = (id: number, name: string, size: number | null): Download =>
    ({ id, name, size }) as Download;
  const all = [at(1, 'a.zip', 10), at(2, 'a.zip', null), at(3, 'a.zip', 11), at(4, 'b.zip', 10)];

  it('have the same name and no different size', () => {
    expect(mirrorsOf(all[0]!, all).map(({ id }) => id)).toEqual([2]);
    expect(mirrorsOf(all[1]!, all).map(({ id }) => id)).toEqual([1, 3]);
    expect(mirrorsOf(all[3]!, all)).toEqual([]);
  });
});

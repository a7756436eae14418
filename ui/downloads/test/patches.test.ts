import { describe, expect, it } from 'vitest';
import { Outdated, patched } from '../src/data/patches.ts';
import type { Download, Package } from '../src/data/types.ts';

const download = (id: number, bytesDone = 0): Download => ({ id, bytesDone }) as Download;
const bundle = (id: number, ...downloads: Download[]): Package =>
  ({ id, name: `P${id}`, downloads }) as Package;

function outdated(packages: number[], downloads: number[]): Outdated {
  const found = new Outdated();
  found.add({ topic: 'downloads', packages, downloads });
  return found;
}

const list = [bundle(1, download(1), download(2)), bundle(2, download(3))];

describe('changed downloads', () => {
  it('are replaced, and all others stay the same objects', () => {
    const next = patched(list, outdated([], [2]), [bundle(1, download(2, 50))]);
    expect(next?.[0]?.downloads.map(({ bytesDone }) => bytesDone)).toEqual([0, 50]);
    expect(next?.[1]).toBe(list[1]);
  });

  it('are removed if they are gone, with their package if it is empty', () => {
    expect(patched(list, outdated([], [2, 3]), [])).toEqual([bundle(1, download(1))]);
    expect(patched(list, outdated([1], []), [])).toEqual([list[1]]);
  });

  it('need a full load if they are new', () => {
    expect(patched(list, outdated([], [9]), [bundle(1, download(9))])).toBeUndefined();
    expect(patched(list, outdated([7], []), [bundle(7)])).toBeUndefined();
  });
});

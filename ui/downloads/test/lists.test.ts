import { describe, expect, it } from 'vitest';
import { linksIn } from '../src/data/links.ts';
import { movedIds } from '../src/data/order.ts';
import type { Download, Package, Status } from '../src/data/types.ts';
import { chosenOf, flatRows, groupsOf, rowsOf } from '../src/data/rows.ts';

const download = (id: number, name: string, status: Status = 'queued'): Download =>
  ({ id, name, status, url: `https://a.example/${name}` }) as Download;

const bundle = (id: number, name: string, downloads: Download[], all = downloads.length): Package =>
  ({ id, name, downloads, summary: { downloads: all } }) as Package;

const packages = [
  bundle(1, 'Holiday', [download(1, 'one.rar', 'finished'), download(2, 'two.rar')]),
  bundle(2, 'Music', [download(3, 'song.ogg', 'downloading')]),
];
const all = { words: '', filter: undefined };

describe('rows', () => {
  it('are below their package unless it is collapsed', () => {
    const groups = groupsOf(packages, all);
    expect(rowsOf(groups, new Set([1])).map(({ key }) => key)).toEqual(['p1', 'p2', 'd3']);
    expect(flatRows(groups).map(({ key }) => key)).toEqual(['d1', 'd2', 'd3']);
  });

  it('are found by package name or file name', () => {
    const found = (words: string) => flatRows(groupsOf(packages, { words, filter: undefined }));
    expect(found('holi').map(({ key }) => key)).toEqual(['d1', 'd2']);
    expect(found(' SONG ').map(({ key }) => key)).toEqual(['d3']);
    expect(found('nothing')).toEqual([]);
  });

  it('can be filtered by state', () => {
    const groups = groupsOf(packages, { words: '', filter: 'active' });
    expect(groups.map(({ key }) => key)).toEqual(['p2']);
  });
});

describe('selection', () => {
  it('includes a whole package at once', () => {
    const chosen = chosenOf(new Set(['p1', 'd3']), groupsOf(packages, all));
    expect(chosen.packages.map(({ id }) => id)).toEqual([1, 2]);
    expect(chosen.downloads).toEqual([]);
    expect(chosen.count).toBe(3);
  });

  it('excludes hidden rows', () => {
    const groups = groupsOf(packages, { words: '', filter: 'finished' });
    const chosen = chosenOf(new Set(['p1']), groups);
    expect(chosen.packages).toEqual([]);
    expect(chosen.downloads.map(({ id }) => id)).toEqual([1]);
  });
});

it.each([
  ['first', [2, 4, 1, 3]],
  ['up', [2, 1, 4, 3]],
  ['down', [1, 3, 2, 4]],
  ['last', [1, 3, 2, 4]],
] as const)('packages move %s', (to, wanted) => {
  expect(movedIds([1, 2, 3, 4], new Set([2, 4]), to)).toEqual(wanted);
});

it('counts each link once, regardless of the surrounding text', () => {
  const text =
    'see <https://a.example/1> and http://b.example/2,http://b.example/3\nhttps://a.example/1';
  expect(linksIn(text)).toHaveLength(3);
  expect(linksIn('nothing here: example.org')).toEqual([]);
});

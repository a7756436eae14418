import { describe, expect, it } from 'vitest';
import { isNzb, linksIn } from '../src/data/links.ts';
import { movedIds } from '../src/data/order.ts';
import type { Download, Package, Section } from '../src/data/types.ts';
import {
  chosenOf,
  flatRows,
  groupsOf,
  linked,
  rowsOf,
  sectionRows,
  withPackages,
} from '../src/data/rows.ts';

const download = (id: number, name: string, section: Section = 'waiting'): Download =>
  ({ id, name, section, url: `https://a.example/${name}` }) as Download;

const bundle = (id: number, name: string, section: Section, downloads: Download[]): Package =>
  ({
    id,
    name,
    section,
    downloads,
    summary: { downloads: downloads.length, skipped: 0 },
  }) as Package;

const packages = [
  bundle(1, 'Holiday', 'waiting', [download(1, 'one.rar', 'finished'), download(2, 'two.rar')]),
  bundle(2, 'Music', 'active', [download(3, 'song.ogg', 'active')]),
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

  it('can be filtered by section', () => {
    const groups = groupsOf(packages, { words: '', filter: 'active' });
    expect(groups.map(({ key }) => key)).toEqual(['p2']);
  });

  it('include a package that is in the section without its downloads', () => {
    const locked = bundle(3, 'Locked', 'attention', [download(4, 'a.rar', 'finished')]);
    const groups = groupsOf([...packages, locked], { words: '', filter: 'attention' });
    expect(groups.map(({ key }) => key)).toEqual(['p3']);
  });

  it('are below the heading of their section unless it is closed', () => {
    const groups = groupsOf(packages, all);
    const keys = (closed: string[]) =>
      sectionRows(groups, new Set(), new Set(closed)).map(({ key }) => key);
    expect(keys([])).toEqual(['active', 'p2', 'd3', 'waiting', 'p1', 'd1', 'd2']);
    expect(keys(['active'])).toEqual(['active', 'waiting', 'p1', 'd1', 'd2']);
  });
});

describe('selection', () => {
  it('includes a whole package at once', () => {
    const chosen = chosenOf(new Set(['d1', 'd2', 'd3']), groupsOf(packages, all));
    expect(chosen.packages.map(({ id }) => id)).toEqual([1, 2]);
    expect(chosen.downloads).toEqual([]);
    expect(chosen.count).toBe(3);
  });

  it('excludes hidden rows', () => {
    const groups = groupsOf(packages, { words: '', filter: 'finished' });
    const chosen = chosenOf(new Set(['d1', 'd2']), groups);
    expect(chosen.packages).toEqual([]);
    expect(chosen.downloads.map(({ id }) => id)).toEqual([1]);
  });

  it('does not take a package with skipped files for a whole one', () => {
    const torrent = bundle(1, 'T', 'waiting', [download(1, 'a'), download(2, 'b')]);
    torrent.summary = { ...torrent.summary, downloads: 1, skipped: 1 };
    const chosen = chosenOf(new Set(['d2']), groupsOf([torrent], all));
    expect(chosen.packages).toEqual([]);
    expect(chosen.downloads.map(({ id }) => id)).toEqual([2]);
  });

  it('of a package and of its downloads agree', () => {
    const groups = groupsOf(packages, all);
    const change = (before: string[], after: string[]): string[] =>
      [...linked(withPackages(new Set(before), groups), new Set(after), groups)].sort();
    // Select the package, then deselect it.
    expect(change([], ['p1'])).toEqual(['d1', 'd2', 'p1']);
    expect(change(['d1', 'd2'], ['d1', 'd2'])).toEqual([]);
    // Deselect one of its downloads, then select it again.
    expect(change(['d1', 'd2'], ['p1', 'd1'])).toEqual(['d1']);
    expect(change(['d1'], ['d1', 'd2'])).toEqual(['d1', 'd2', 'p1']);
    // A click on a download replaces the selection.
    expect(change(['d1', 'd2'], ['d2'])).toEqual(['d2']);
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
  expect(linksIn('magnet:?xt=urn:btih:00&tr=http://t.example/x sftp://u@c.example/4')).toEqual([
    'sftp://u@c.example/4',
    'magnet:?xt=urn:btih:00&tr=http://t.example/x',
  ]);
  expect(linksIn('nothing here: example.org')).toEqual([]);
});

it('the addresses that identify a format are no links, and an NZB file has none', () => {
  const nzb = '<!DOCTYPE nzb PUBLIC "x" "http://n.example/nzb.dtd"><nzb xmlns="http://n.example">';
  expect([isNzb(nzb), linksIn(nzb)]).toEqual([true, []]);
  const list = '<metalink xmlns="http://m.example/"><url>http://a.example/1</url></metalink>';
  expect([isNzb(list), linksIn(list)]).toEqual([false, ['http://a.example/1']]);
});

import { expect, test } from 'vitest';
import type { HistoryEntry } from '../src/data/types.ts';
import { packagesAgain } from '../src/history/again.ts';

const entry = (url: string, more: Partial<HistoryEntry>): HistoryEntry => ({
  id: 1,
  finishedAt: 0,
  name: 'a',
  host: 'h.example',
  url,
  size: 1,
  packageName: 'Set',
  file: null,
  ...more,
});

test('entries are fetched again into the packages and folders they had', () => {
  const given = [
    entry('https://h.example/a', { file: 'tv/Set/a.bin' }),
    entry('https://h.example/b', { file: 'tv/Set/b.bin' }),
    entry('https://h.example/c', { packageName: 'Other' }),
  ];
  expect(packagesAgain(given)).toEqual([
    {
      links: 'https://h.example/a\nhttps://h.example/b',
      packageName: 'Set',
      targetDir: 'tv/Set',
      start: true,
    },
    { links: 'https://h.example/c', packageName: 'Other', targetDir: undefined, start: true },
  ]);
});

test('the files of a torrent are one package', () => {
  const magnet = 'magnet:?xt=urn:btih:1';
  const given = ['x/a', 'x/sub/b'].map((file) => entry(magnet, { host: 'torrent', file }));
  expect(packagesAgain(given).map(({ links }) => links)).toEqual([magnet]);
});

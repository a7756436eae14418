import { expect, test } from 'vitest';
import { splitPath } from '../src/parts/shortPath.ts';

test.each([
  ['/home/ada/Documents/Photos', '/home/ada/Documents', '/Photos'],
  ['/srv/disks/archive/2026/raw', '/srv/disks/archive', '/2026/raw'],
  ['C:\\Users\\Ada\\Documents\\Work', 'C:\\Users\\Ada', '\\Documents\\Work'],
  ['~/Sync/Music', '~', '/Sync/Music'],
  ['/data', '', '/data'],
  ['/mnt/a folder whose name is long', '/mnt/a folder wh', 'ose name is long'],
  ['/mnt/a🎸bcdefghijklmnop', '/mnt/a', '🎸bcdefghijklmnop'],
  ['', '', ''],
])('%s keeps its end', (path, start, end) => {
  expect(splitPath(path)).toEqual([start, end]);
});

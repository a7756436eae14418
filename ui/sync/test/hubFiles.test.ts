import { expect, test } from 'vitest';
import { emptiesFolder } from '../src/data/hubFiles.ts';

test.each([
  [{ removed: 3 }, true],
  [{ removed: 3, kept: 1 }, false],
  [{ removed: 3, restored: 1 }, false],
  [{ removed: 3, replaced: 1 }, false],
  [{}, false],
])('a preview with %o empties the folder: %s', (counts, empties) => {
  const nothing = { restored: 0, replaced: 0, removed: 0, kept: 0, bytes: 0 };
  const preview = { ...nothing, incomplete: false, files: [], ...counts };
  expect(emptiesFolder(preview)).toBe(empties);
});

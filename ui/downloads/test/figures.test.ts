import { expect, it } from 'vitest';
import { figuresOf } from '../src/data/figures.ts';
import type { Row } from '../src/data/rows.ts';
import type { Download, ProgressItem, Status } from '../src/data/types.ts';

const row = (status: Status): Row => {
  const download = { id: 1, status, bytesDone: 100, size: 100, url: '' } as Download;
  return { kind: 'download', key: 'd1', download } as Row;
};
const late: ProgressItem = {
  id: 1,
  bytesDone: 40,
  size: 100,
  speed: 9,
  phase: null,
  eta: 7,
  segments: [],
};

it.each([
  ['downloading', 0.4, 9],
  ['finished', 1, 0],
  ['failed', 1, 0],
] as const)('figures of a %s download', (status, share, speed) => {
  const figures = figuresOf(row(status), new Map([[1, late]]), new Map());
  expect(figures).toMatchObject({ share, speed });
});

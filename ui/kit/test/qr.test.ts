import { expect, it } from 'vitest';
import { formatBits, type Grid } from '../src/qr/grid.ts';
import { multiply } from '../src/qr/galois.ts';
import { masks } from '../src/qr/masks.ts';
import { qrCode, qrPath } from '../src/qr/qr.ts';
import { dataBytes, versions } from '../src/qr/versions.ts';

/** What a reader does: find the mask, take the bits in order, put the blocks together again. */
function read(grid: Grid): { text: string; blocks: number[][] } {
  const mask = masks[maskOf(grid)];
  const bits = [...grid.places()].map(([x, y]) => grid.isDark(x, y) !== mask?.(x, y));
  const bytes = Array.from({ length: grid.version.allBytes }, (_, at) =>
    bits.slice(at * 8, at * 8 + 8).reduce((byte, bit) => byte * 2 + Number(bit), 0),
  );
  const blocks = blocksOf(bytes, grid);
  const data = blocks.flatMap((block) => block.slice(0, -grid.version.checkBytes));
  const stream = data.map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const head = grid.version.number < 10 ? 12 : 20;
  expect(stream.slice(0, 4)).toBe('0100');
  const length = Number.parseInt(stream.slice(4, head), 2);
  const text = Array.from({ length }, (_, at) =>
    Number.parseInt(stream.slice(head + at * 8, head + at * 8 + 8), 2),
  );
  return { text: new TextDecoder().decode(new Uint8Array(text)), blocks };
}

function maskOf(grid: Grid): number {
  let bits = 0;
  for (let at = 0; at < 8; at++) bits |= Number(grid.isDark(grid.size - 1 - at, 8)) << at;
  for (let at = 8; at < 15; at++) bits |= Number(grid.isDark(8, grid.size - 15 + at)) << at;
  return masks.findIndex((_, mask) => formatBits(mask) === bits);
}

function blocksOf(bytes: number[], { version }: Grid): number[][] {
  const { blocks: count, checkBytes } = version;
  const all = dataBytes(version);
  const short = Math.floor(all / count);
  const longer = all % count;
  const blocks: number[][] = Array.from({ length: count }, () => []);
  const given = bytes.values();
  for (let at = 0; at <= short; at++) {
    for (const [index, block] of blocks.entries()) {
      if (at < short || index >= count - longer) block.push(given.next().value ?? 0);
    }
  }
  for (let at = 0; at < checkBytes; at++)
    for (const block of blocks) block.push(given.next().value ?? 0);
  return blocks;
}

/** Zero at every root, unless the block is damaged. */
function syndromes(block: number[], count: number): number[] {
  let root = 1;
  return Array.from({ length: count }, () => {
    const value = block.reduce((sum, byte) => multiply(sum, root) ^ byte, 0);
    root = multiply(root, 2);
    return value;
  });
}

it('knows how much each size holds', () => {
  // The capacities of the standard for protection M.
  expect(versions.map(dataBytes)).toEqual([16, 28, 44, 64, 86, 108, 124, 154, 182, 216]);
  expect(versions.map(({ allBytes }) => allBytes)).toEqual([
    26, 44, 70, 100, 134, 172, 196, 242, 292, 346,
  ]);
});

it('writes the format as the standard does', () => {
  // Level M with mask 0 and 5, from the standard's table.
  expect(formatBits(0).toString(2)).toBe('101010000010010');
  expect(formatBits(5).toString(2)).toBe('100000011001110');
});

it.each([1, 14, 26, 42, 62, 84, 106, 122, 152, 180, 213])('carries %i bytes', (length) => {
  const text = 'quartet agent join '.repeat(20).slice(0, length);
  const grid = qrCode(text);
  if (!grid) throw new Error('no code');
  const found = read(grid);
  expect(found.text).toBe(text);
  const { checkBytes } = grid.version;
  for (const block of found.blocks) {
    expect(syndromes(block, checkBytes)).toEqual(Array<number>(checkBytes).fill(0));
  }
});

it('carries other alphabets', () => {
  const grid = qrCode('Größe → 例');
  if (!grid) throw new Error('no code');
  expect(read(grid).text).toBe('Größe → 例');
});

it('has three finders, and no code for what is too long', () => {
  const grid = qrCode('ABCD-EFGH-JKLM');
  if (!grid) throw new Error('no code');
  const row = (y: number): string =>
    Array.from({ length: 8 }, (_, x) => Number(grid.isDark(x, y))).join('');
  expect([0, 1, 2, 3, 4, 5, 6, 7].map(row)).toEqual([
    '11111110',
    '10000010',
    '10111010',
    '10111010',
    '10111010',
    '10000010',
    '11111110',
    '00000000',
  ]);
  expect(qrPath(grid)).toMatch(/^M0 0h1v1h-1z/);
  expect(qrCode('x'.repeat(214))).toBeUndefined();
});

/** The sizes of a QR code with medium protection, up to 213 bytes: enough for an address. */
export interface Version {
  number: number;
  size: number;
  /** Check bytes in each block. */
  checkBytes: number;
  blocks: number;
  /** Data and check bytes together. */
  allBytes: number;
  /** Where the small squares lie, along each side. */
  marks: readonly number[];
}

// Check bytes and blocks as the standard has them for protection M.
const CHECKS: readonly (readonly [number, number])[] = [
  [10, 1],
  [16, 1],
  [26, 1],
  [18, 2],
  [24, 2],
  [16, 4],
  [18, 4],
  [22, 4],
  [22, 5],
  [26, 5],
];

export const versions: readonly Version[] = CHECKS.map(([checkBytes, blocks], index) => {
  const number = index + 1;
  const size = 4 * number + 17;
  const marks = marksOf(number, size);
  return { number, size, checkBytes, blocks, allBytes: bytesOf(size, number, marks), marks };
});

export const dataBytes = ({ allBytes, checkBytes, blocks }: Version): number =>
  allBytes - checkBytes * blocks;

/** The smallest that holds so many bytes; undefined when none does. */
export function versionFor(length: number): Version | undefined {
  return versions.find((version) => {
    const head = version.number < 10 ? 12 : 20;
    return dataBytes(version) * 8 >= head + length * 8;
  });
}

function marksOf(number: number, size: number): number[] {
  if (number === 1) return [];
  const last = size - 7;
  return number < 7 ? [6, last] : [6, (6 + last) / 2, last];
}

/** All modules but the fixed ones, in whole bytes. */
function bytesOf(size: number, number: number, marks: readonly number[]): number {
  const finders = 3 * 64;
  const timing = 2 * (size - 16);
  const format = 31;
  const version = number < 7 ? 0 : 36;
  // Three would lie on the finders; those on the timing lines share five modules with them.
  const count = marks.length > 0 ? marks.length ** 2 - 3 : 0;
  const onTiming = marks.length > 2 ? 2 * (marks.length - 2) * 5 : 0;
  const free = size * size - finders - timing - format - version - count * 25 + onTiming;
  return Math.floor(free / 8);
}

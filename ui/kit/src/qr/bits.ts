/** What a QR code carries: bytes as bits, padded and protected against damage. */
import { remainder } from './galois.ts';
import { dataBytes, type Version } from './versions.ts';

const BYTES_MODE = 4;
const PADDING = [0xec, 0x11];

/** All bytes of a code in the order in which they are drawn. */
export function codewords(text: Uint8Array, version: Version): number[] {
  const data = padded(text, version);
  const blocks = split(data, version.blocks);
  const checks = blocks.map((block) => remainder(block, version.checkBytes));
  return [...interleaved(blocks), ...interleaved(checks)];
}

function padded(text: Uint8Array, version: Version): number[] {
  const bits: number[] = [];
  const push = (value: number, length: number): void => {
    for (let bit = length - 1; bit >= 0; bit--) bits.push((value >> bit) & 1);
  };
  push(BYTES_MODE, 4);
  push(text.length, version.number < 10 ? 8 : 16);
  for (const byte of text) push(byte, 8);
  const room = dataBytes(version);
  push(0, Math.min(4, room * 8 - bits.length));
  push(0, -bits.length & 7);
  const bytes: number[] = [];
  for (let at = 0; at < bits.length; at += 8) {
    bytes.push(bits.slice(at, at + 8).reduce((byte, bit) => byte * 2 + bit, 0));
  }
  for (let at = 0; bytes.length < room; at ^= 1) bytes.push(PADDING[at] ?? 0);
  return bytes;
}

/** The last blocks are one byte longer when it does not come out even. */
function split(data: number[], count: number): number[][] {
  const short = Math.floor(data.length / count);
  const shortBlocks = count - (data.length % count);
  let from = 0;
  return Array.from({ length: count }, (_, index) => {
    const length = index < shortBlocks ? short : short + 1;
    from += length;
    return data.slice(from - length, from);
  });
}

function interleaved(blocks: number[][]): number[] {
  const longest = Math.max(...blocks.map((block) => block.length));
  return Array.from({ length: longest }, (_, at) =>
    blocks.flatMap((block) => block[at] ?? []),
  ).flat();
}

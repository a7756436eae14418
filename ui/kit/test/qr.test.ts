import { describe, expect, it } from 'vitest';
import decodeQR from 'qr/decode.js';
import { qrImage, type QrImage } from '../src/parts/qr.ts';

const SCALE = 4;

/** Draws a code as the pixels that a camera would see. */
function pixelsOf({ size, path }: QrImage) {
  const width = size * SCALE;
  const data = new Uint8ClampedArray(width * width * 4).fill(255);
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
    for (let dy = 0; dy < SCALE; dy++) {
      for (let dx = 0; dx < SCALE; dx++) {
        const row = Number(y) * SCALE + dy;
        const column = Number(x) * SCALE + dx;
        data.fill(0, (row * width + column) * 4, (row * width + column) * 4 + 3);
      }
    }
  }
  return { width, height: width, data };
}

describe('a QR code', () => {
  it.each([
    'https://sync.example.org/pair?code=ABCD-EFGH',
    'https://wind.example.org/sign-up?invite=0123456789abcdef0123456789abcdef',
    'Grüße aus Kiel',
    'x'.repeat(213),
  ])('can be read by a scanner: %s', (text) => {
    expect(decodeQR(pixelsOf(qrImage(text)!))).toBe(text);
  });

  it('is only made for texts that stay easy to scan', () => {
    expect(qrImage('x'.repeat(213))?.size).toBe(57 + 2 * 3);
    expect(qrImage('x'.repeat(214))).toBeUndefined();
    expect(qrImage('ü'.repeat(107))).toBeUndefined();
  });
});

import encodeQR from 'qr';

/** Longer texts need a code above version 10, which phones cannot read from a screen easily. */
const MAX_BYTES = 213;
/** Scanners need a light margin. */
const MARGIN = 3;

export interface QrImage {
  /** Modules per side, including the margin. */
  size: number;
  /** The dark modules as an SVG path, one unit per module. */
  path: string;
}

/** Encodes a text as a QR code; undefined if it is too long. */
export function qrImage(text: string): QrImage | undefined {
  if (new TextEncoder().encode(text).length > MAX_BYTES) return undefined;
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: MARGIN });
  const path = rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')));
  return { size: rows.length, path: path.join('') };
}

import { codewords } from './bits.ts';
import { Grid } from './grid.ts';
import { masks, penalty } from './masks.ts';
import { versionFor } from './versions.ts';

/** A text as a QR code; undefined when it is too long for one that is still easy to read. */
export function qrCode(text: string): Grid | undefined {
  const bytes = new TextEncoder().encode(text);
  const version = versionFor(bytes.length);
  if (!version) return undefined;
  const words = codewords(bytes, version);
  const grids = masks.map((_, mask) => {
    const grid = new Grid(version);
    draw(grid, words, mask);
    return grid;
  });
  return grids.reduce((best, grid) => (penalty(grid) < penalty(best) ? grid : best));
}

function draw(grid: Grid, words: readonly number[], mask: number): void {
  grid.drawFormat(mask);
  let at = 0;
  for (const [x, y] of grid.places()) {
    const bit = ((words[at >> 3] ?? 0) >> (7 - (at & 7))) & 1;
    grid.set(x, y, (bit === 1) !== (masks[mask]?.(x, y) ?? false));
    at++;
  }
}

/** The dark modules as one SVG path, one unit for each. */
export function qrPath(grid: Grid): string {
  let path = '';
  for (let y = 0; y < grid.size; y++) {
    for (let x = 0; x < grid.size; x++) if (grid.isDark(x, y)) path += `M${x} ${y}h1v1h-1z`;
  }
  return path;
}

import type { Version } from './versions.ts';

/** The modules of a QR code: dark or light, and whether the standard fixes them. */
export class Grid {
  readonly size: number;
  readonly #dark: Uint8Array;
  readonly #fixed: Uint8Array;

  constructor(readonly version: Version) {
    this.size = version.size;
    this.#dark = new Uint8Array(this.size ** 2);
    this.#fixed = new Uint8Array(this.size ** 2);
    this.#drawFixed();
  }

  isDark(x: number, y: number): boolean {
    return this.#dark[y * this.size + x] === 1;
  }

  isFixed(x: number, y: number): boolean {
    return this.#fixed[y * this.size + x] === 1;
  }

  set(x: number, y: number, dark: boolean): void {
    this.#dark[y * this.size + x] = Number(dark);
  }

  /** The mask and the level of protection, twice. */
  drawFormat(mask: number): void {
    const bits = formatBits(mask);
    const bit = (at: number): boolean => ((bits >> at) & 1) === 1;
    const last = this.size - 1;
    for (let at = 0; at < 8; at++) {
      this.#fix(8, at < 6 ? at : at + 1, bit(at));
      this.#fix(last - at, 8, bit(at));
    }
    this.#fix(7, 8, bit(8));
    for (let at = 9; at < 15; at++) this.#fix(14 - at, 8, bit(at));
    for (let at = 8; at < 15; at++) this.#fix(8, last - 14 + at, bit(at));
    this.#fix(8, last - 7, true);
  }

  /** The places of the bits, in pairs of columns from the right, up and down in turn. */
  *places(): Generator<[number, number]> {
    let up = true;
    for (let right = this.size - 1; right > 0; right -= 2, up = !up) {
      if (right === 6) right--;
      for (let step = 0; step < this.size; step++) {
        const y = up ? this.size - 1 - step : step;
        for (const x of [right, right - 1]) if (!this.isFixed(x, y)) yield [x, y];
      }
    }
  }

  #drawFixed(): void {
    const { size } = this;
    for (let at = 0; at < size; at++) {
      this.#fix(6, at, at % 2 === 0);
      this.#fix(at, 6, at % 2 === 0);
    }
    for (const [x, y] of [
      [3, 3],
      [size - 4, 3],
      [3, size - 4],
    ] as const)
      this.#square(x, y, 4);
    for (const [x, y] of this.#marks()) this.#square(x, y, 2);
    this.drawFormat(0);
    if (this.version.number >= 7) this.#drawVersion();
  }

  #marks(): [number, number][] {
    const { marks } = this.version;
    const last = marks.length - 1;
    const corner = (a: number, b: number): boolean =>
      (a === 0 && b === 0) || (a === 0 && b === last) || (a === last && b === 0);
    return marks.flatMap((x, a) =>
      marks.flatMap((y, b): [number, number][] => (corner(a, b) ? [] : [[x, y]])),
    );
  }

  /** Rings around a middle; a finder has a light one around it. */
  #square(x: number, y: number, reach: number): void {
    for (let dy = -reach; dy <= reach; dy++) {
      for (let dx = -reach; dx <= reach; dx++) {
        const ring = Math.max(Math.abs(dx), Math.abs(dy));
        const inside = x + dx >= 0 && x + dx < this.size && y + dy >= 0 && y + dy < this.size;
        if (inside) this.#fix(x + dx, y + dy, reach === 4 ? ring !== 2 && ring !== 4 : ring !== 1);
      }
    }
  }

  #drawVersion(): void {
    const bits = withCheck(this.version.number, 12, 0x1f25);
    for (let at = 0; at < 18; at++) {
      const dark = ((bits >> at) & 1) === 1;
      const across = this.size - 11 + (at % 3);
      const along = Math.floor(at / 3);
      this.#fix(across, along, dark);
      this.#fix(along, across, dark);
    }
  }

  #fix(x: number, y: number, dark: boolean): void {
    this.set(x, y, dark);
    this.#fixed[y * this.size + x] = 1;
  }
}

/** Level M is zero, so that only the mask is left. */
export const formatBits = (mask: number): number => withCheck(mask, 10, 0x537) ^ 0x5412;

/** A number followed by so many check bits. */
function withCheck(value: number, length: number, polynomial: number): number {
  let rest = value;
  for (let bit = 0; bit < length; bit++) rest = (rest << 1) ^ ((rest >> (length - 1)) * polynomial);
  return (value << length) | rest;
}

import { latOf, lonOf } from './mercator.ts';
import type { Flow } from './flow.ts';

/** The visible part of the world in world units, and its width in pixels. */
export interface View {
  left: number;
  top: number;
  right: number;
  bottom: number;
  worldPixels: number;
}

/** Positions per particle tail. */
export const TAIL = 10;
export const NUMBERS_PER_PIECE = 5;
const PIXELS_PER_KNOT_AND_SECOND = 2.4;
const TAIL_SECONDS = 0.07;
const [SHORTEST_LIFE, LONGEST_LIFE] = [1.6, 4.5];
const PIXELS_PER_PARTICLE = 380;
/** Limited because battery and heat matter more than a denser picture. */
const MOST = 3500;

export function swarmSize(width: number, height: number): number {
  return Math.min(MOST, Math.round((width * height) / PIXELS_PER_PARTICLE));
}

/** Particles that drift with the wind, each with a tail. */
export class Swarm {
  readonly #tails: Float32Array;
  readonly #left: Float32Array;
  /** Start, end and strength of each tail segment, for the graphics card. */
  readonly pieces: Float32Array;
  #sinceTail = 0;

  constructor(
    readonly count: number,
    private readonly random: () => number = Math.random,
  ) {
    this.#tails = new Float32Array(count * (TAIL + 1) * 2);
    this.#left = new Float32Array(count);
    this.pieces = new Float32Array(count * TAIL * NUMBERS_PER_PIECE);
  }

  move(seconds: number, view: View, flow: (lon: number, lat: number) => Flow | null): void {
    this.#sinceTail += seconds;
    const grow = this.#sinceTail >= TAIL_SECONDS;
    if (grow) this.#sinceTail = 0;
    for (let index = 0; index < this.count; index++) this.#one(index, seconds, view, flow, grow);
    this.#tell();
  }

  #one(
    index: number,
    seconds: number,
    view: View,
    flow: (lon: number, lat: number) => Flow | null,
    grow: boolean,
  ): void {
    const at = index * (TAIL + 1) * 2;
    const x = this.#tails[at]!;
    const y = this.#tails[at + 1]!;
    this.#left[index]! -= seconds;
    const seen = x >= view.left && x <= view.right && y >= view.top && y <= view.bottom;
    const wind = this.#left[index]! > 0 && seen ? flow(lonOf(x), latOf(y)) : null;
    if (!wind) return this.#begin(index, at, view);
    if (grow) this.#tails.copyWithin(at + 2, at, at + TAIL * 2);
    const step = (PIXELS_PER_KNOT_AND_SECOND * seconds) / view.worldPixels;
    this.#tails[at] = x + wind.u * step;
    this.#tails[at + 1] = y - wind.v * step;
  }

  /**
   * Respawns at a random position in view, so that particles do not gather where the wind
   * converges.
   */
  #begin(index: number, at: number, view: View): void {
    const x = view.left + this.random() * (view.right - view.left);
    const y = view.top + this.random() * (view.bottom - view.top);
    for (let place = 0; place <= TAIL; place++) {
      this.#tails[at + place * 2] = x;
      this.#tails[at + place * 2 + 1] = y;
    }
    this.#left[index] = SHORTEST_LIFE + this.random() * (LONGEST_LIFE - SHORTEST_LIFE);
  }

  #tell(): void {
    let next = 0;
    for (let index = 0; index < this.count; index++) {
      const at = index * (TAIL + 1) * 2;
      for (let place = 0; place < TAIL; place++) {
        const from = at + place * 2;
        this.pieces[next++] = this.#tails[from]!;
        this.pieces[next++] = this.#tails[from + 1]!;
        this.pieces[next++] = this.#tails[from + 2]!;
        this.pieces[next++] = this.#tails[from + 3]!;
        this.pieces[next++] = 1 - place / TAIL;
      }
    }
  }
}

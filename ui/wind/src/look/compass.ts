import * as m from '../paraglide/messages.js';

const SECTORS = 16;

/** The sixteenth of the compass that a direction lies in, north first. */
export function sector(degrees: number): number {
  return Math.round((((degrees % 360) + 360) % 360) / (360 / SECTORS)) % SECTORS;
}

/** "NW" in English and in German; O stands for east there. */
export function compass(degrees: number): string {
  return sectorName(sector(degrees));
}

export function sectorName(index: number): string {
  return m.compass_points().split(' ')[index] ?? '';
}

import * as m from '../paraglide/messages.js';

const SECTORS = 16;

/** Returns the index of the 16-point compass direction, starting at north. */
export function sector(degrees: number): number {
  return Math.round((((degrees % 360) + 360) % 360) / (360 / SECTORS)) % SECTORS;
}

/** Returns the name of a direction; German uses O for east. */
export function compass(degrees: number): string {
  return sectorName(sector(degrees));
}

export function sectorName(index: number): string {
  return m.compass_points().split(' ')[index] ?? '';
}

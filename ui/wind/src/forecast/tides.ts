import type { Gauge } from '../data/types.ts';
import * as m from '../paraglide/messages.js';

export type Tide = NonNullable<Gauge['tides']>[number];

/** Returns the tide that falls into each column, which lasts until the next one. */
export function tidesAt(tides: Tide[], hours: number[]): (Tide | undefined)[] {
  return hours.map((start, at) => {
    const end = hours[at + 1] ?? start + 3600;
    return tides.find(({ time }) => time >= start && time < end);
  });
}

export function tideName(tide: Tide): string {
  return tide.kind === 'high' ? m.tide_high() : m.tide_low();
}

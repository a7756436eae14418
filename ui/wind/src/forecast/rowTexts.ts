import { rain, temperature } from '../data/measures.svelte.ts';
import * as m from '../paraglide/messages.js';
import type { RowName, WaveRowName } from './rows.svelte.ts';

const NAMES: Record<RowName | WaveRowName, () => string> = {
  wind: m.wind,
  gust: m.gusts,
  direction: m.direction,
  symbol: m.weather,
  temperature: m.temperature,
  precipitation: m.precipitation,
  cloud: m.clouds,
  pressure: m.pressure,
  waves: m.waves,
  swell: m.swell,
  tide: m.tide,
};

const SHORT: Record<RowName, () => string> = {
  wind: m.wind,
  gust: m.gusts,
  direction: m.direction_short,
  symbol: m.weather,
  temperature: () => temperature.name,
  precipitation: () => rain.name,
  cloud: m.clouds_short,
  pressure: () => 'hPa',
};

export function rowName(row: RowName | WaveRowName): string {
  return NAMES[row]();
}

/** A name, or only a unit, for the narrow first column of the table. */
export function shortRowName(row: RowName): string {
  return SHORT[row]();
}

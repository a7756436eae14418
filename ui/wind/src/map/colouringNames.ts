import * as m from '../paraglide/messages.js';
import type { Colouring } from './layers.svelte.ts';

const NAMES: Record<Colouring, () => string> = {
  wind: m.wind,
  gust: m.gusts,
  temperature: m.temperature,
  precipitation: m.precipitation,
  cloud: m.clouds,
  pressure: m.pressure,
  waves: m.waves,
};

export function colouringName(by: Colouring): string {
  return NAMES[by]();
}

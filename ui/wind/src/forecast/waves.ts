import type { WaveSeries } from '../data/types.ts';
import { height } from '../data/measures.svelte.ts';
import * as m from '../paraglide/messages.js';

export interface WaveRow {
  name: string;
  kind: 'height' | 'period' | 'direction';
  /** A unit or a short name. */
  label: string;
  title: string;
  values: (number | null)[];
}

/** Returns the rows of a wave model that are selected and have values. */
export function waveRowsOf(series: WaveSeries, waves: boolean, swell: boolean): WaveRow[] {
  const all: (WaveRow | undefined)[] = [
    waves ? row('height', series.height, height.name, m.wave_height()) : undefined,
    waves ? row('period', series.period, 's', m.wave_period()) : undefined,
    waves ? row('direction', series.direction, m.direction_short(), m.wave_direction()) : undefined,
    swell
      ? row('height', series.swellHeight, m.swell_unit({ unit: height.name }), m.swell_height())
      : undefined,
    swell
      ? row('period', series.swellPeriod, m.swell_unit({ unit: 's' }), m.swell_period())
      : undefined,
    swell ? row('direction', series.swellDirection, m.swell(), m.swell_direction()) : undefined,
  ];
  return all.filter((one) => one !== undefined);
}

function row(
  kind: WaveRow['kind'],
  values: (number | null)[] | null | undefined,
  label: string,
  title: string,
): WaveRow | undefined {
  return values ? { name: title, kind, label, title, values } : undefined;
}

const HIGHEST_M = 4;

/** Percent of a cell that is filled. */
export function waveShare(metres: number): number {
  return Math.round(Math.min(metres / HIGHEST_M, 1) * 100);
}

interface Place {
  lat: number;
  lon: number;
}

const KM_PER_DEGREE = 111.2;

/** Exact enough for neighbouring places. */
export function distanceKm(one: Place, other: Place): number {
  const across = Math.cos((one.lat * Math.PI) / 180);
  const turn = ((other.lon - one.lon + 540) % 360) - 180;
  return KM_PER_DEGREE * Math.hypot(other.lat - one.lat, turn * across);
}

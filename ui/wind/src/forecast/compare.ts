import type { Ranking, Series } from '../data/types.ts';
import { amountBetween, between, HOUR, rounded, stepsAround, windBetween } from './interpolate.ts';

/** Sorts the most accurate model first; unranked ones keep their order. */
export function ranked(series: Series[], ranking: Ranking | undefined): Series[] {
  const rows = ranking?.buckets.find((bucket) => bucket.rows.length > 0)?.rows ?? [];
  const place = new Map(rows.map((row, index) => [row.model, index]));
  const rank = (one: Series): number => place.get(one.model) ?? rows.length;
  return [...series].sort((a, b) => rank(a) - rank(b));
}

export interface ModelValues {
  wind: number | null;
  gust: number | null;
  direction: number | null;
  symbol: number | null;
  temperature: number | null;
  precipitation: number | null;
  cloud: number | null;
  pressure: number | null;
  /** Whether the model has no step at this hour. */
  interpolated: boolean;
}

const NOTHING: ModelValues = {
  wind: null,
  gust: null,
  direction: null,
  symbol: null,
  temperature: null,
  precipitation: null,
  cloud: null,
  pressure: null,
  interpolated: false,
};

/** Returns a model's values for each hour, interpolated between its steps; null where it has none. */
export function valuesAt(series: Series, hours: number[]): ModelValues[] {
  return hours.map((time, column) => {
    const around = stepsAround(series.times, time);
    if (!around) return NOTHING;
    const { before, after, share } = around;
    const linear = (row: (number | null)[] | null | undefined): number | null =>
      between(row?.[before], row?.[after], share);
    return {
      ...windBetween(series, around),
      gust: linear(series.gust),
      // A symbol describes the time before its step.
      symbol: series.symbol?.[after] ?? null,
      temperature: rounded(linear(series.temperature)),
      precipitation: amountBetween(series, hours[column - 1] ?? time - HOUR, time),
      cloud: rounded(linear(series.cloud)),
      pressure: rounded(linear(series.pressure)),
      interpolated: before !== after,
    };
  });
}

export interface Agreement {
  middle: number;
  low: number;
  high: number;
  models: number;
}

/** Returns median and spread of several models; null for fewer than two. */
export function agreement(values: (number | null)[]): Agreement | null {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b);
  if (known.length < 2) return null;
  const half = (known.length - 1) / 2;
  const middle = (known[Math.floor(half)]! + known[Math.ceil(half)]!) / 2;
  return { middle, low: known[0]!, high: known.at(-1)!, models: known.length };
}

/** Missing gusts are only mentioned if they are missing in the visible hours. */
export function noticeOf(series: Series, said: ModelValues[]): Series['notice'] {
  if (series.notice !== 'gust_partial') return series.notice ?? undefined;
  const missing = said.some(({ wind, gust }) => wind !== null && gust === null);
  return missing ? series.notice : undefined;
}

/** A change of the models behind a median; its number of models is that from this hour on. */
export interface ModelChange {
  models: number;
  joined: string[];
  left: string[];
}

/** Returns the hours at which other models have values than in the hour before. */
export function modelChanges(series: Series[], all: ModelValues[][]): (ModelChange | null)[] {
  const has = (model: number, hour: number): boolean => (all[model]?.[hour]?.wind ?? null) !== null;
  const names = (wanted: (model: number) => boolean): string[] =>
    series.filter((_, model) => wanted(model)).map((one) => one.model);
  return (all[0] ?? []).map((_, at) => {
    const models = names((model) => has(model, at)).length;
    if (at === 0) return { models, joined: [], left: [] };
    const joined = names((model) => has(model, at) && !has(model, at - 1));
    const left = names((model) => !has(model, at) && has(model, at - 1));
    return joined.length + left.length > 0 ? { models, joined, left } : null;
  });
}

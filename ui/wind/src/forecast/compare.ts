import type { Ranking, Series } from '../data/types.ts';

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
};

/** Returns a model's values for each hour; null where it has none. */
export function valuesAt(series: Series, hours: number[]): ModelValues[] {
  const index = new Map(series.times.map((time, at) => [time, at]));
  return hours.map((time, column) => {
    const at = index.get(time);
    if (at === undefined) return NOTHING;
    return {
      wind: series.wind[at] ?? null,
      gust: series.gust[at] ?? null,
      direction: series.direction[at] ?? null,
      symbol: series.symbol?.[at] ?? null,
      temperature: series.temperature?.[at] ?? null,
      precipitation: fallenSince(series, at, hours[column - 1]),
      cloud: series.cloud?.[at] ?? null,
      pressure: series.pressure?.[at] ?? null,
    };
  });
}

/** Adds up the amounts of hours that the table leaves out before this one. */
function fallenSince(series: Series, at: number, before: number | undefined): number | null {
  const amounts = series.precipitation;
  let sum = amounts?.[at] ?? null;
  if (before === undefined) return sum;
  for (let earlier = at - 1; series.times[earlier]! > before; earlier--) {
    const more = amounts?.[earlier] ?? null;
    sum = sum === null || more === null ? null : sum + more;
  }
  return sum;
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

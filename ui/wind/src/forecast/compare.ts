import type { Ranking, Series } from '../data/types.ts';

/** The model that was right most often comes first; those without a rank keep their order. */
export function ranked(series: Series[], ranking: Ranking | undefined): Series[] {
  const rows = ranking?.buckets.find((bucket) => bucket.rows.length > 0)?.rows ?? [];
  const place = new Map(rows.map((row, index) => [row.model, index]));
  const rank = (one: Series): number => place.get(one.model) ?? rows.length;
  return [...series].sort((a, b) => rank(a) - rank(b));
}

export interface Said {
  wind: number | null;
  gust: number | null;
  direction: number | null;
}

const NOTHING: Said = { wind: null, gust: null, direction: null };

/** What a model says for each hour; nothing for hours that it does not have. */
export function saidAt(series: Series, hours: number[]): Said[] {
  const index = new Map(series.times.map((time, at) => [time, at]));
  return hours.map((time) => {
    const at = index.get(time);
    if (at === undefined) return NOTHING;
    const { wind, gust, direction } = series;
    return { wind: wind[at] ?? null, gust: gust[at] ?? null, direction: direction[at] ?? null };
  });
}

export interface Agreement {
  middle: number;
  low: number;
  high: number;
  models: number;
}

/** The middle of several models and how far they lie apart; null below two. */
export function agreement(values: (number | null)[]): Agreement | null {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b);
  if (known.length < 2) return null;
  const half = (known.length - 1) / 2;
  const middle = (known[Math.floor(half)]! + known[Math.ceil(half)]!) / 2;
  return { middle, low: known[0]!, high: known.at(-1)!, models: known.length };
}

/** A missing gust is worth a word only where it is missing in what is shown. */
export function noticeOf(series: Series, said: Said[]): Series['notice'] {
  if (series.notice !== 'gust_partial') return series.notice ?? undefined;
  const missing = said.some(({ wind, gust }) => wind !== null && gust === null);
  return missing ? series.notice : undefined;
}

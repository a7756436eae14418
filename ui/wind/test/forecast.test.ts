import { describe, expect, it } from 'vitest';
import { align } from '../src/chart/align.ts';
import type { Series } from '../src/data/types.ts';
import { agreement, noticeOf, ranked, valuesAt } from '../src/forecast/compare.ts';
import { daysOf, hoursOf } from '../src/forecast/hours.ts';

const HOUR = 3600;

function series(model: string, times: number[]): Series {
  const wind = times.map((_, at) => at + 1);
  return { model, run: 0, times, wind, gust: wind.map((knots) => knots * 2), direction: wind };
}

describe('hours of the table', () => {
  it('start with the current one and get coarser after two days', () => {
    const times = Array.from({ length: 60 }, (_, hour) => hour * HOUR);
    const hours = hoursOf([series('a', times)], 2.5 * HOUR);
    expect(hours[0]).toBe(2 * HOUR);
    expect(hours).toContain(50 * HOUR);
    expect(hours.filter((time) => time > 50 * HOUR)).toEqual([51 * HOUR, 54 * HOUR, 57 * HOUR]);
  });

  it('are grouped by day', () => {
    const days = daysOf([1, 2, 3], (time) => (time < 3 ? 'Sun' : 'Mon'));
    expect(days).toEqual([
      { label: 'Sun', hours: 2, middle: 2 },
      { label: 'Mon', hours: 1, middle: 3 },
    ]);
  });
});

describe('model comparison', () => {
  it('sorts the best model first and unranked ones last', () => {
    const rows = ['b', 'a'].map((model) => ({
      model,
      maeWind: 1,
      biasWind: 0,
      rmseWind: 1,
      n: 50,
    }));
    const ranking = { from: 0, to: 1, buckets: [{ hours: [0, 24], n: 50, rows }] };
    const list = ['x', 'a', 'b'].map((model) => series(model, [0]));
    expect(ranked(list, ranking).map(({ model }) => model)).toEqual(['b', 'a', 'x']);
  });

  it('has no value for hours a model does not cover', () => {
    const said = valuesAt(series('a', [0, HOUR]), [HOUR, 2 * HOUR]);
    expect(said).toMatchObject([
      { wind: 2, gust: 4, direction: 2 },
      { wind: null, gust: null, direction: null },
    ]);
  });

  it('returns median and spread of at least two models', () => {
    expect(agreement([4, null, 10])).toEqual({ middle: 7, low: 4, high: 10, models: 2 });
    expect(agreement([4, null])).toBeNull();
  });

  it('mentions missing gusts only where they are missing', () => {
    const partial: Series = { ...series('a', [0]), notice: 'gust_partial' };
    expect(noticeOf(partial, valuesAt(partial, [0]))).toBeUndefined();
    const [said] = valuesAt(partial, [0]);
    expect(noticeOf(partial, [{ ...said!, wind: 3, gust: null }])).toBe('gust_partial');
  });
});

it('chart series share their times', () => {
  const lines = [
    { times: [0, 2], values: [1, 3] },
    { times: [1, 2, 9], values: [5, 6, 7] },
  ];
  expect(align(lines, 0, 5)).toEqual([
    [0, 1, 2],
    [1, null, 3],
    [null, 5, 6],
  ]);
});

describe('precipitation in the table', () => {
  const wet: Series = {
    ...series(
      'a',
      [0, 1, 2, 3, 4].map((hour) => hour * HOUR),
    ),
    precipitation: [null, 0.5, 1, 0, 2],
  };

  it('adds up the hours that are left out', () => {
    const said = valuesAt(wet, [HOUR, 4 * HOUR]);
    expect(said.map(({ precipitation }) => precipitation)).toEqual([0.5, 3]);
  });

  it('is unknown if one of them is', () => {
    const said = valuesAt({ ...wet, precipitation: [null, 0.5, null, 0, 2] }, [HOUR, 4 * HOUR]);
    expect(said[1]!.precipitation).toBeNull();
  });

  it('is missing in a run without weather', () => {
    expect(valuesAt(series('a', [0]), [0])[0]!.temperature).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import { align } from '@quartet/kit';
import { hasMore, hasWeather, newDraft, parseLimit, withValue } from '../src/alarm/draft.ts';
import { height, temperature } from '../src/data/measures.svelte.ts';
import type { Series, WaveSeries } from '../src/data/types.ts';
import { agreement, modelChanges, noticeOf, ranked, valuesAt } from '../src/forecast/compare.ts';
import { daysOf, hourOf, hoursOf } from '../src/forecast/hours.ts';
import { tidesAt, type Tide } from '../src/forecast/tides.ts';
import { distanceKm, waveRowsOf } from '../src/forecast/waves.ts';

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
      { label: 'Sun', first: 1, hours: 2, middle: 2 },
      { label: 'Mon', first: 3, hours: 1, middle: 3 },
    ]);
  });

  it('contain the moments up to the next one', () => {
    const hours = [2 * HOUR, 3 * HOUR, 6 * HOUR];
    expect(hourOf(hours, 5 * HOUR)).toBe(3 * HOUR);
    expect(hourOf(hours, 7 * HOUR)).toBe(6 * HOUR);
    expect(hourOf(hours, HOUR)).toBeUndefined();
    expect(hourOf(hours, 30 * HOUR)).toBeUndefined();
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

  it('interpolates between steps as vectors and says so', () => {
    const turning: Series = {
      ...series('a', [0, 2 * HOUR]),
      wind: [10, 10],
      direction: [350, 80],
      precipitation: [null, 3],
    };
    const [first, middle] = valuesAt(turning, [0, HOUR]);
    expect(first).toMatchObject({ wind: 10, direction: 350, interpolated: false });
    expect(middle).toMatchObject({ direction: 35, precipitation: 1.5, interpolated: true });
    expect(middle!.wind).toBeCloseTo(10 * Math.SQRT1_2);
  });

  it('does not interpolate across wide gaps', () => {
    expect(valuesAt(series('a', [0, 7 * HOUR]), [3 * HOUR])[0]!.wind).toBeNull();
  });

  it('names the hours at which other models are behind the median', () => {
    const all = [series('a', [0, HOUR, 2 * HOUR]), series('b', [0, HOUR])];
    const hours = [0, HOUR, 2 * HOUR];
    const said = all.map((one) => valuesAt(one, hours));
    expect(modelChanges(all, said)).toEqual([
      { models: 2, joined: [], left: [] },
      null,
      { models: 1, joined: [], left: ['b'] },
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

describe('rows of the sea', () => {
  const waves: WaveSeries = {
    model: 'gfs-wave',
    run: 0,
    times: [0],
    lat: 54,
    lon: 10,
    height: [1.2],
    period: [4],
    direction: [270],
  };

  it('are those that are selected and have values', () => {
    const kinds = waveRowsOf(waves, true, true).map(({ kind }) => kind);
    expect(kinds).toEqual(['height', 'period', 'direction']);
    expect(waveRowsOf(waves, false, true)).toEqual([]);
    const swell = waveRowsOf({ ...waves, swellHeight: [0.8] }, false, true);
    expect(swell.map(({ values }) => values)).toEqual([[0.8]]);
  });

  it('know how far the point at sea is', () => {
    expect(distanceKm({ lat: 54, lon: 10 }, { lat: 55, lon: 10 })).toBeCloseTo(111.2);
    expect(distanceKm({ lat: 0, lon: 179.5 }, { lat: 0, lon: -179.5 })).toBeCloseTo(111.2);
  });

  it('show a tide in the column that contains it', () => {
    const tides: Tide[] = [
      { time: 1.5 * HOUR, kind: 'high', level: 640 },
      { time: 5 * HOUR, kind: 'low', level: 360 },
    ];
    const kinds = tidesAt(tides, [0, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR]).map((tide) => tide?.kind);
    expect(kinds).toEqual([undefined, 'high', undefined, 'low', undefined]);
  });
});

describe('conditions of an alert on the weather', () => {
  it('open the part of the form that contains them', () => {
    const draft = newDraft(true);
    expect([hasMore(draft), hasWeather(draft)]).toEqual([false, false]);
    expect(hasMore({ ...draft, rainMax: 0 })).toBe(true);
    expect(hasWeather({ ...draft, waveMax: 1.5 })).toBe(true);
  });

  it('are parsed from their inputs', () => {
    expect(parseLimit('1,25', 0.1, height)).toBe(1.3);
    expect(parseLimit('-3.6', 1, temperature)).toBe(-4);
    expect(parseLimit(' ', 1, temperature)).toBeNull();
  });

  it('are parsed in the selected units', () => {
    temperature.choose('f');
    height.choose('ft');
    try {
      expect(parseLimit('50', 1, temperature)).toBe(10);
      expect(parseLimit('3.3', 0.1, height)).toBe(1);
    } finally {
      temperature.choose('c');
      height.choose('m');
    }
  });

  it('keep options that were set elsewhere', () => {
    expect(withValue([0, 1], 0.3)).toEqual([0, 0.3, 1]);
    expect(withValue([0, 1], null)).toEqual([0, 1]);
  });
});

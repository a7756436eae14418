import { expect, test } from 'vitest';
import { topOf } from '../src/chart/chart.ts';
import { continued, newest, ROOM, timesOf, valuesOf, type Trends } from '../src/chart/trends.ts';

function trends(until: number, values: Record<string, (number | null)[]>): Trends {
  const list = Object.entries(values).map(([name, each]) => ({ name, label: '', values: each }));
  return { span: '15m', step: 1, until, trends: list };
}

const full = (value: number | null): (number | null)[] =>
  new Array<number | null>(ROOM['15m']).fill(value);

test('later values are added at the end, and the oldest ones dropped', () => {
  const joined = continued(trends(100, { speed: full(1) }), trends(102, { speed: [2, 3] }));
  expect(joined.until).toBe(102);
  expect(valuesOf(joined, 'speed')?.slice(-3)).toEqual([1, 2, 3]);
  expect(valuesOf(joined, 'speed')).toHaveLength(900);
});

test('a figure that is new or gone has no values for the other time', () => {
  const joined = continued(trends(100, { old: full(1) }), trends(102, { young: [2, 3] }));
  expect(valuesOf(joined, 'old')?.slice(-3)).toEqual([1, null, null]);
  expect(valuesOf(joined, 'young')?.slice(-3)).toEqual([null, 2, 3]);
});

test('an answer without newer values changes nothing', () => {
  const before = trends(100, { speed: full(1) });
  expect(continued(before, trends(100, { speed: [] }))).toBe(before);
});

test('the newest value is the last known one', () => {
  const found = trends(100, { speed: [...full(null).slice(2), 5, null] });
  expect(newest(found, 'speed')).toBe(5);
  expect(newest(found, 'none')).toBe(0);
});

test('times end with the last value', () => {
  const times = timesOf(trends(1000, {}));
  expect([times[0], times.at(-1)]).toEqual([101, 1000]);
});

test('the scale contains a limit that is near the values', () => {
  expect(topOf(null, 10, undefined)).toBe(10);
  expect(topOf(100, 10, 150)).toBeCloseTo(162);
  expect(topOf(100, 10, 1000)).toBeCloseTo(108);
});

import { expect, test } from 'vitest';
import { ordered, strongestHour, windowsOf, type SessionDay } from '../src/spots/sessionDays.ts';

const HOUR = 3600;

function day(start: number, score: number, wind: number[], good: boolean[]): SessionDay {
  return {
    start,
    times: wind.map((_, index) => start + (8 + index) * HOUR),
    wind,
    gust: wind.map(() => null),
    direction: wind.map(() => 270),
    good,
    fits: wind.map(() => true),
    score,
    suitable: score,
    rig: [],
  };
}

const calm = day(0, 0, [4, 5, 6], [false, false, false]);
const windy = day(24 * HOUR, 2.5, [30, 16, 14], [false, true, true]);

test('the days with the most good hours are first', () => {
  expect(ordered([calm, windy], 'best')).toEqual([windy, calm]);
  expect(ordered([calm, windy], 'date')).toEqual([calm, windy]);
});

test('without windows the days with suitable wind are first', () => {
  const later = { ...calm, start: 48 * HOUR, suitable: 3 };
  expect(ordered([calm, later, windy], 'best')).toEqual([windy, later, calm]);
});

test('a day has the windows of the spot with hours on it', () => {
  const window = { from: windy.times[1]!, to: windy.times[2]! + HOUR } as never;
  expect(windowsOf(windy, [window])).toEqual([window]);
  expect(windowsOf(calm, [window])).toEqual([]);
});

test('the strongest hour of a window counts, and that of the day without one', () => {
  expect(strongestHour(windy)).toBe(1);
  expect(strongestHour(calm)).toBe(2);
});

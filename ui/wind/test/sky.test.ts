import { describe, expect, it } from 'vitest';
import { moonPhase, sunTimes } from '../src/look/sky.ts';
import { weatherOf } from '../src/look/weather.ts';

const unix = (text: string): number => Date.parse(text) / 1000;
const MINUTE = 60;

describe('sunrise and sunset', () => {
  it.each([
    // As almanacs give them, in UTC.
    ['Kiel', 54.32, 10.14, '2026-06-21', '02:47', '19:59'],
    ['Kiel', 54.32, 10.14, '2026-12-21', '07:39', '14:57'],
    ['Tarifa', 36.01, -5.6, '2026-03-20', '06:27', '18:34'],
    ['Cape Town', -33.92, 18.42, '2026-06-21', '05:51', '15:45'],
    ['Quito', -0.18, -78.47, '2026-09-23', '11:02', '23:09'],
  ])('of %s (%f, %f) on %s are exact to two minutes', (_, lat, lon, day, rise, set) => {
    const times = sunTimes(lat, lon, unix(`${day}T${lon < -60 ? '17' : '12'}:00Z`));
    expect(Math.abs(times.rise! - unix(`${day}T${rise}Z`))).toBeLessThan(2.5 * MINUTE);
    expect(Math.abs(times.set! - unix(`${day}T${set}Z`))).toBeLessThan(2.5 * MINUTE);
  });

  it('do not exist during polar day and polar night', () => {
    expect(sunTimes(70, 20, unix('2026-06-21T12:00Z'))).toMatchObject({ rise: null, up: true });
    expect(sunTimes(70, 20, unix('2026-12-21T12:00Z'))).toMatchObject({ set: null, up: false });
  });

  it('belong to the day of the place, also far from Greenwich', () => {
    const { rise, set } = sunTimes(-36.85, 174.76, unix('2026-11-16T23:00Z'));
    expect(rise).toBeGreaterThan(unix('2026-11-16T16:00Z'));
    expect(set).toBeLessThan(unix('2026-11-17T08:00Z'));
  });
});

describe('phase of the moon', () => {
  it.each([
    // Full and new moons with eclipses, whose times are known exactly.
    ['2025-03-14T06:55Z', 0.5],
    ['2025-09-07T18:09Z', 0.5],
    ['2026-03-03T11:38Z', 0.5],
    ['2026-08-12T17:37Z', 0],
    ['2027-08-02T10:05Z', 0],
  ])('at %s is %f', (time, phase) => {
    const away = Math.abs(moonPhase(unix(time)) - phase);
    expect(Math.min(away, 1 - away)).toBeLessThan(0.005);
  });

  it('grows from a new moon to the full one', () => {
    const first = moonPhase(unix('2026-08-20T02:46Z'));
    expect(first).toBeGreaterThan(0.24);
    expect(first).toBeLessThan(0.26);
  });
});

describe('weather symbols', () => {
  it('differ by night only if the sky is visible', () => {
    expect(weatherOf(100)!.icon).not.toBe(weatherOf(0)!.icon);
    expect(weatherOf(103)!.icon).toBe(weatherOf(3)!.icon);
    expect(weatherOf(999)).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import { draftOf, newDraft, partsOf } from '../src/alarm/draft.ts';
import { parseWind, formatWind } from '../src/alarm/windInput.ts';
import { defaultRange } from '../src/gear/range.ts';
import { itemsOf, newRow, rowOf, withKind } from '../src/gear/rows.ts';
import { moved } from '../src/spots/order.ts';
import { sameSpot } from '../src/spots/same.ts';
import { kmBetween, stationsNear } from '../src/spots/stations.ts';
import { sectorsOf, segmentsOf, sectorText } from '../src/spots/sectors.ts';
import { dayText, spanText } from '../src/spots/texts.ts';
import { Clock } from '../src/look/clock.ts';

const chosen = (...indexes: number[]): boolean[] =>
  Array.from({ length: 16 }, (_, index) => indexes.includes(index));

describe('wind directions', () => {
  it('join neighbours, also across north', () => {
    expect(sectorsOf(chosen(15, 0, 1))).toEqual([{ from: 327, to: 33 }]);
    expect(sectorsOf(chosen(4, 8, 9))).toEqual([
      { from: 79, to: 101 },
      { from: 169, to: 213 },
    ]);
  });

  it('are empty when all or none are selected', () => {
    expect(sectorsOf(chosen())).toEqual([]);
    expect(sectorsOf(Array<boolean>(16).fill(true))).toEqual([]);
    expect(segmentsOf([{ from: 0, to: 360 }])).toEqual(Array(16).fill(true));
  });

  it('survive a round trip', () => {
    for (let bits = 0; bits < 2 ** 16 - 1; bits += 7) {
      const drawn = Array.from({ length: 16 }, (_, index) => Boolean((bits >> index) & 1));
      expect(segmentsOf(sectorsOf(drawn))).toEqual(drawn);
    }
  });

  it('have names', () => {
    expect(sectorText([{ from: 259, to: 326 }])).toBe('W–NW');
    expect(sectorText([{ from: 349, to: 11 }])).toBe('N');
    expect(sectorText([])).toBe('any direction');
  });
});

describe('alert', () => {
  it('is a sentence with controls', () => {
    expect(partsOf('from [from] (at [most]), to [to].')).toEqual([
      { text: 'from ' },
      { control: 'from', tail: '' },
      { text: ' (at ' },
      { control: 'most', tail: '),' },
      { text: ' to ' },
      { control: 'to', tail: '.' },
    ]);
  });

  it('is sent without server-only fields', () => {
    const draft = newDraft(false);
    expect(draftOf({ ...draft, favorite: 3, follows: 'gfs', lastSent: 5 })).toEqual(draft);
  });

  it("takes wind in the user's unit and stores knots", () => {
    expect(parseWind('8', 'ms')).toBe(15.6);
    expect(formatWind(15.6, 'ms')).toBe(8);
    expect(parseWind('15', 'kn')).toBe(15);
    expect(parseWind('5', 'bft')).toBe(5);
    expect(parseWind(' ', 'kn')).toBeNull();
    for (let value = 1; value <= 60; value++)
      for (const unit of ['kn', 'ms', 'kmh'] as const)
        expect(Math.round(formatWind(parseWind(String(value), unit)!, unit))).toBe(value);
  });
});

describe('gear', () => {
  it('has a default wind range by size', () => {
    const [low, high] = defaultRange('sail', 7)!;
    expect([Math.round(low), Math.round(high)]).toEqual([12, 20]);
    expect(defaultRange('board', 110)).toBeUndefined();
    expect(defaultRange('kite', 0)).toBeUndefined();
  });

  it('skips empty rows', () => {
    const sail = { kind: 'sail' as const, name: 'Duke', size: 5.3, unit: 'm²' };
    const rows = [rowOf(sail), newRow()];
    expect(itemsOf(rows)).toEqual([sail]);
    expect(itemsOf([{ ...newRow(), size: '4,7' }])[0]?.size).toBe(4.7);
    expect(withKind(newRow(), 'board').unit).toBe('l');
    expect(withKind({ ...newRow(), unit: 'ft²' }, 'board').unit).toBe('ft²');
  });
});

describe('spots', () => {
  it('can be reordered', () => {
    expect(moved([1, 2, 3], 1, 2)).toEqual([2, 3, 1]);
    expect(moved([1, 2, 3], 3, 0)).toEqual([3, 1, 2]);
  });

  it('are equal at nearly the same position, regardless of the station', () => {
    const spot = { lat: 54.18, lon: 7.89 };
    expect(sameSpot(spot, { lat: 54.1849, lon: 7.89 })).toBe(true);
    expect(sameSpot(spot, { lat: 54.19, lon: 7.89 })).toBe(false);
  });

  it('have nearby stations, nearest first', () => {
    const pin = (slug: string, lat: number, lon: number) => ({ slug, name: slug, lat, lon });
    const pins = [pin('far', 50, 8), pin('next', 54.5, 8), pin('here', 54.2, 7.9)];
    const near = stationsNear({ lat: 54.18, lon: 7.89 }, pins);
    expect(near.map(({ slug }) => slug)).toEqual(['here', 'next']);
    expect(near[0]?.km).toBeCloseTo(2.3, 1);
    // Across the 180° meridian it is close.
    expect(kmBetween({ lat: 0, lon: 179.9 }, { lat: 0, lon: -179.9 })).toBeCloseTo(22.2, 1);
  });
});

describe('the times of a window', () => {
  const HOUR = 3600;
  const berlin = new Clock('Europe/Berlin');
  const at = (time: string): number => Date.parse(time) / 1000;

  it.each([
    // In the last hour before a day of 23 hours, and in the first of one of 25.
    ['2027-03-27T22:30Z', '2027-03-28T10:00Z', 'Tomorrow'],
    ['2027-03-27T22:30Z', '2027-03-28T22:30Z', 'Mon 29'],
    ['2026-10-24T22:10Z', '2026-10-26T10:00Z', 'Tomorrow'],
    ['2026-10-24T22:10Z', '2026-10-25T22:30Z', 'Today'],
  ])('seen at %s, %s is %s', (now, time, day) => {
    expect(dayText(at(time), berlin, at(now))).toBe(day);
  });

  it.each([
    ['Europe/Berlin', '2026-10-24T23:00Z', 4, 'Sun 25, 1:00–4:00'],
    ['Europe/Berlin', '2027-03-28T00:00Z', 3, 'Sun 28, 1:00–5:00'],
    ['Europe/Berlin', '2027-03-27T20:00Z', 3, 'Sat 27, 21:00–24:00'],
    ['America/New_York', '2026-11-01T05:00Z', 3, 'Sun 1, 1:00–3:00'],
    ['Asia/Kolkata', '2026-11-19T12:00Z', 3, 'Thu 19, 17:30–20:30'],
    ['Asia/Kolkata', '2026-11-19T16:00Z', 3, 'Thu 19, 21:30–0:30'],
  ])('in %s from %s are shown', (zone, start, hours, shown) => {
    const from = at(start);
    expect(spanText(from, from + hours * HOUR, new Clock(zone), 0)).toBe(shown);
  });
});

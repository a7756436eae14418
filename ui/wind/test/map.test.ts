import { describe, expect, it } from 'vitest';
import type { Meta } from '../src/data/types.ts';
import { latOf, lonOf, xOf, yOf } from '../src/map/mercator.ts';
import { windOpacity } from '../src/map/field.ts';
import { windAt, type Sheet } from '../src/map/flow.ts';
import { NUMBERS_PER_PIECE, Swarm, swarmSize, TAIL } from '../src/map/swarm.ts';
import { hourAt, viewOfAddress } from '../src/map/view.ts';

function sheet(bytes: number[][], wraps = false): Sheet {
  const bounds = wraps ? { w: -180, s: -1, e: 180, n: 1 } : { w: 0, s: 0, e: 2, n: 2 };
  const channels = { u: { scale: 0.5, offset: -10 }, v: { scale: 1, offset: 0 }, gust: null };
  const meta = { width: 2, height: 2, bounds, wraps, channels } as unknown as Meta;
  return { key: '', meta, area: bounds, pixels: new Uint8ClampedArray(bytes.flat()) };
}

const pixel = (u: number, v: number): number[] => [u, v, 0, 255];

describe('opacity of the wind', () => {
  it('is half at the zoom of a spot and higher for a country', () => {
    for (const ground of ['light', 'dark'] as const) {
      expect(windOpacity(ground, 11)).toBe(0.5);
      expect(windOpacity(ground, 6)).toBeGreaterThan(0.65);
      expect(windOpacity(ground, 8.5)).toBeGreaterThan(windOpacity(ground, 9.5));
    }
  });
});

describe('wind of a texture', () => {
  const four = sheet([pixel(20, 1), pixel(40, 2), pixel(60, 3), pixel(80, 4)]);

  it('is the value of the pixel at its centre', () => {
    expect(windAt(four, 0.5, 1.5)).toEqual({ u: 0, v: 1 });
    expect(windAt(four, 1.5, 0.5)).toEqual({ u: 30, v: 4 });
  });

  it('is interpolated between pixels', () => {
    expect(windAt(four, 1, 1)).toEqual({ u: 15, v: 2.5 });
  });

  it('is unknown outside and next to a gap', () => {
    expect(windAt(four, 3, 1)).toBeNull();
    expect(windAt(sheet([pixel(1, 1), [0, 0, 0, 0], pixel(1, 1), pixel(1, 1)]), 1, 1)).toBeNull();
  });

  it('wraps around the world', () => {
    const world = sheet([pixel(20, 0), pixel(40, 0), pixel(20, 0), pixel(40, 0)], true);
    expect(windAt(world, 180, 0)?.u).toBeCloseTo(5);
    expect(windAt(world, -180, 0)?.u).toBeCloseTo(5);
  });
});

it('positions survive a round trip through map coordinates', () => {
  for (const lat of [-80, -12.5, 0, 53.55, 84]) expect(latOf(yOf(lat))).toBeCloseTo(lat, 9);
  expect(lonOf(xOf(9.99))).toBeCloseTo(9.99, 9);
});

describe('particles', () => {
  const view = { left: 0.4, top: 0.4, right: 0.6, bottom: 0.6, worldPixels: 4096 };

  it('are limited in number', () => {
    expect(swarmSize(10_000, 10_000)).toBe(3500);
    expect(swarmSize(390, 700)).toBeLessThan(1000);
  });

  it('drift with the wind', () => {
    const swarm = new Swarm(1, () => 0.5);
    const west = (): { u: number; v: number } => ({ u: 20, v: 0 });
    for (let step = 0; step < 20; step++) swarm.move(0.05, view, west);
    const [x, y, before] = swarm.pieces;
    expect(swarm.pieces.length).toBe(TAIL * NUMBERS_PER_PIECE);
    expect(x).toBeGreaterThan(0.5);
    expect(x).toBeGreaterThan(before!);
    expect(y).toBeCloseTo(0.5, 5);
  });

  it('respawn where there is no data', () => {
    const swarm = new Swarm(3);
    swarm.move(0.05, view, () => null);
    for (const place of [0, 1]) {
      expect(swarm.pieces[place]).toBeGreaterThanOrEqual(0.4);
      expect(swarm.pieces[place]).toBeLessThanOrEqual(0.6);
    }
  });
});

describe('map address', () => {
  it('contains the view and ignores invalid values', () => {
    expect(viewOfAddress(new URLSearchParams('lat=54.2&lon=-3&z=7'))).toEqual({
      lat: 54.2,
      lon: -3,
      zoom: 7,
    });
    expect(viewOfAddress(new URLSearchParams('lat=999&z=x')).zoom).toBeCloseTo(4.2);
  });

  it('finds the closest hour', () => {
    const hours = [0, 10, 20].map((time) => ({ run: 0, step: 0, time }));
    expect(hourAt(hours, 14)).toBe(1);
    expect(hourAt(hours, 99)).toBe(2);
  });
});

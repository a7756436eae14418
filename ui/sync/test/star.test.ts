import { expect, test } from 'vitest';
import type { Placed } from '../src/data/progress.ts';
import type { Device } from '../src/data/types.ts';
import { rateText, seenByDevice } from '../src/overview/figures.ts';
import { recentMean } from '../src/overview/rates.svelte.ts';
import { lineWidth, rays, wideness } from '../src/overview/star.ts';

const device = (id: number, changes: Partial<Device> = {}): Device =>
  ({ id, name: `Device ${id}`, online: true, blocked: false, refusal: '', ...changes }) as Device;

const share = (conflicts: number): Placed =>
  ({ folder: { conflicts }, progress: { state: 'ready' } }) as Placed;

const still = { received: 0, sent: 0 };

test('devices lie around the hub, the first one at the top', () => {
  const [first, second, third, fourth] = rays(
    [1, 2, 3, 4].map((id) => device(id)),
    new Map(),
    () => still,
    38,
  );
  expect([first!.x, first!.y]).toEqual([50, 19]);
  expect(second!.x).toBeCloseTo(88);
  expect(third!.y).toBeCloseTo(81);
  expect(fourth!.x).toBeCloseTo(12);
});

test('two devices lie on both sides of the hub', () => {
  const [left, right] = rays([device(1), device(2)], new Map(), () => still, 38);
  expect([left!.x, left!.y, right!.x, right!.y].map(Math.round)).toEqual([12, 50, 88, 50]);
});

test('a few devices are nearer to the hub than many', () => {
  expect(wideness(3)).toBeLessThan(wideness(7));
  expect(wideness(14)).toBe(38);
});

test('the look of a line says what is going on', () => {
  const look = (given: Device, shares: Placed[], rate = still): string =>
    rays([given], new Map([[given.id, shares]]), () => rate, 38)[0]!.look;
  expect(look(device(1), [share(0)])).toBe('calm');
  expect(look(device(1), [share(2)])).toBe('conflict');
  expect(look(device(1, { online: false }), [share(2)])).toBe('offline');
  expect(look(device(1, { refusal: 'server_changed' }), [])).toBe('trouble');
  expect(look(device(1), [], { received: 0, sent: 1e6 })).toBe('busy');
});

test('dots move only with data, also on the line of a conflict', () => {
  const moving = (conflicts: number, received: number): boolean =>
    rays([device(1)], new Map([[1, [share(conflicts)]]]), () => ({ received, sent: 0 }), 38)[0]!
      .moving;
  expect([moving(0, 1e6), moving(2, 1e6)]).toEqual([true, true]);
  expect([moving(0, 200), moving(2, 200)]).toEqual([false, false]);
});

test('lines grow with the rate up to a limit', () => {
  expect(lineWidth(0)).toBe(1.5);
  expect(lineWidth(1e6)).toBeGreaterThan(lineWidth(1e5));
  expect(lineWidth(1e12)).toBe(9);
});

test('the direction is that of the faster transfer', () => {
  const [ray] = rays([device(1)], new Map(), () => ({ received: 5, sent: 9 }), 38);
  expect(ray!.outwards).toBe(true);
});

test('what the hub sends is shown as arriving at the device', () => {
  const rate = { received: 0, sent: 2_000_000 };
  expect(rateText(rate)).toBe('↑\u00a02 MB/s');
  expect(rateText(seenByDevice(rate))).toBe('↓\u00a02 MB/s');
});

test('the rate of a device that receives in bursts is their mean', () => {
  const bursts = [9000, 0, 0, 64, 64, 0, 0, 64, 64, null];
  expect(recentMean(bursts)).toBeCloseTo(256 / 7);
  expect(recentMean([null])).toBe(0);
  expect(recentMean(undefined)).toBe(0);
});

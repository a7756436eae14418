import { expect, test } from 'vitest';
import { demandOf } from '../src/data/demand.ts';
import { limitBands } from '../src/data/limitBands.ts';
import { packageState } from '../src/data/states.ts';
import type { Download, Package } from '../src/data/types.ts';

const at = (text: string): number => new Date(`2026-11-${text}`).getTime() / 1000;

test('the schedule is shaded where it applies', () => {
  const night = { from: '22:00', to: '06:00', limitKib: 500, pause: false, days: [] };
  expect(limitBands([night], at('17T12:00'), at('18T12:00'))).toEqual([
    { from: at('17T22:00'), to: at('18T06:00'), limitKib: 500 },
  ]);
});

test('the schedule follows the clock of the server', () => {
  const night = { from: '22:00', to: '06:00', limitKib: 500, pause: false, days: [] };
  expect(limitBands([night], at('17T12:00'), at('18T12:00'), 2 * 3600)).toEqual([
    { from: at('17T20:00'), to: at('18T04:00'), limitKib: 500 },
  ]);
});

test('a window that began the evening before is cut at the start', () => {
  const night = { from: '22:00', to: '06:00', limitKib: 0, pause: false, days: [] };
  expect(limitBands([night], at('18T05:00'), at('18T05:15'))).toEqual([
    { from: at('18T05:00'), to: at('18T05:15'), limitKib: 0 },
  ]);
});

test('a window of other weekdays is not shaded', () => {
  // 17 November 2026 is a Tuesday.
  const monday = { from: '08:00', to: '10:00', limitKib: 500, pause: false, days: [1] };
  expect(limitBands([monday], at('17T00:00'), at('17T23:00'))).toEqual([]);
  expect(limitBands([{ ...monday, days: [2] }], at('17T00:00'), at('17T23:00'))).toHaveLength(1);
});

test('the queue needs what its unfinished packages lack', () => {
  const one = (section: string, size: number, bytesDone: number): Package =>
    ({ section, summary: { size, bytesDone } }) as Package;
  const packages = [one('active', 100, 30), one('waiting', 50, 0), one('failed', 70, 0)];
  expect(demandOf([...packages, one('finished', 10, 10)])).toBe(120);
});

test('a package in the section of failed ones says why, also if no download has failed', () => {
  const gone = { section: 'failed', status: 'collected', online: 'offline' } as Download;
  const given = { id: 1, section: 'failed', downloads: [gone], summary: { downloads: 1 } };
  expect(packageState(given as Package, 0)).toMatchObject({ word: 'Offline', tone: 'bad' });
});

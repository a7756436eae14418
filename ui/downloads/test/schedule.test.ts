import { expect, it } from 'vitest';
import { coveredWindows, newWindow } from '../src/settings/draft.ts';

const slot = (from: string, to: string, ...days: number[]) => ({ ...newWindow(), from, to, days });

it('finds time slots that never apply', () => {
  const daily = slot('08:00', '22:00');
  expect(coveredWindows([daily, slot('09:00', '10:00', 1)])).toEqual(new Set([1]));
  expect(coveredWindows([slot('09:00', '10:00', 1), daily])).toEqual(new Set());
  // It begins on Sunday evening and ends on Monday morning.
  const nights = [slot('22:00', '06:00', 7), slot('00:00', '06:00', 1), slot('00:00', '06:00', 2)];
  expect(coveredWindows(nights)).toEqual(new Set([1]));
  // The same time means a whole day; an empty field is no slot yet.
  const all = slot('07:00', '07:00');
  expect(coveredWindows([all, slot('', '10:00'), slot('01:00', '02:00')])).toEqual(new Set([2]));
});

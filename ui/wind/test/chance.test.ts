import { expect, test } from 'vitest';
import { chanceRange } from '../src/verification/chance.ts';

test('chance explains less with more hours', () => {
  const few = chanceRange(50, 12);
  const many = chanceRange(50, 1200);
  expect(few.low).toBeCloseTo(1, 0);
  expect(few.high).toBeCloseTo(99, 0);
  expect(many.low).toBeCloseTo(45.1, 1);
  expect(many.high).toBeCloseTo(54.9, 1);
});

test('chance stays between never and always', () => {
  expect(chanceRange(2, 3)).toMatchObject({ low: 0 });
  expect(chanceRange(98, 3)).toMatchObject({ high: 100 });
  expect(chanceRange(0, 5)).toEqual({ low: 0, high: 0 });
});

import { describe, expect, it } from 'vitest';
import { shareOf, shareOrUsual } from '../src/settings/draft.ts';

describe('percentages', () => {
  it.each([
    ['95', 0.95],
    [' 62,5 % ', 0.625],
    ['0', 0],
  ])('reads %j', (text, share) => expect(shareOf(text)).toBe(share));

  it.each(['', 'abc', '150', '-1'])('refuses %j', (text) => expect(shareOf(text)).toBeUndefined());

  it('distinguishes an empty field from an invalid one', () => {
    expect(shareOrUsual(' ')).toBeNull();
    expect(shareOrUsual('80')).toBe(0.8);
    expect(shareOrUsual('150')).toBeUndefined();
  });
});

import { expect, it } from 'vitest';
import { episodesOf, numbersFrom, readEpisodes } from '../src/renaming/numbers.ts';

const NOTHING = { season: '', episodes: '', first: '', shift: '' };

it('reads single numbers, ranges and lists', () => {
  expect(readEpisodes('5')).toEqual([5]);
  expect(readEpisodes('5-7')).toEqual([5, 6, 7]);
  expect(readEpisodes('5, 7')).toEqual([5, 7]);
  for (const wrong of ['', 'x', '7-5', '5-', '1-500']) expect(readEpisodes(wrong)).toBeUndefined();
});

it('writes a range for several episodes', () => {
  expect(episodesOf([], [5])).toBe('5');
  expect(episodesOf([], [5, 6])).toBe('5-6');
  expect(episodesOf([], [])).toBe('');
});

it('uses absolute numbering without a season', () => {
  expect(numbersFrom(true, { ...NOTHING, episodes: '12' })).toEqual({
    shift: 0,
    season: null,
    episodes: [12],
  });
});

it('keeps what is left empty for several files', () => {
  expect(numbersFrom(false, NOTHING)).toBeUndefined();
  expect(numbersFrom(false, { ...NOTHING, shift: '-2' })).toEqual({ shift: -2 });
  expect(numbersFrom(false, { ...NOTHING, season: '2', first: '4' })).toEqual({
    shift: 0,
    season: 2,
    firstEpisode: 4,
  });
});

import { expect, test } from 'vitest';
import type { JobItem } from '../src/data/types.ts';
import { leastSure, titlesOf } from '../src/renaming/titles.ts';

function item(id: number, title: string, season?: number, confidence = 1): JobItem {
  const episodes = season === undefined ? [] : [{ season, episode: id, title: '' }];
  const best = {
    provider: 'demo',
    id: title,
    kind: season === undefined ? 'movie' : 'series',
    title,
  };
  return { id, path: `/${id}.mkv`, confidence, match: { best, episodes } } as unknown as JobItem;
}

test('files are grouped by title and season', () => {
  const cards = titlesOf([
    item(1, 'Lost', 2),
    item(2, 'Heat'),
    item(3, 'Lost', 1),
    item(4, 'Lost', 2),
  ]);
  expect(cards.map(({ title }) => title)).toEqual(['Heat', 'Lost']);
  const seasons = cards[1]?.seasons.map(({ season, items }) => [season, items.length]);
  expect(seasons).toEqual([
    [1, 1],
    [2, 2],
  ]);
});

test('files without a match are grouped by the title in their name', () => {
  const unknown = { id: 1, path: '/a', match: null, parsed: { title: 'Home Video', seasons: [] } };
  const [card] = titlesOf([unknown as unknown as JobItem]);
  expect([card?.title, card?.candidate]).toEqual(['Home Video', undefined]);
});

test('the least sure file decides', () => {
  expect(leastSure([item(1, 'a'), item(2, 'a', undefined, 0.4)]).id).toBe(2);
});

import { beforeEach, expect, it } from 'vitest';
import { Feed } from '../src/activity/feed.svelte.ts';

const PAGE = 3;
let newest: number;
/** While set, responses wait for it. */
let held: Promise<void> | undefined;
let feed: Feed<number>;

/** The newest items, or the newest before the given one. */
async function page(before: number | undefined): Promise<{ data: number[] }> {
  const top = (before ?? newest + 1) - 1;
  const data = [top, top - 1, top - 2].filter((id) => id > 0);
  await held;
  return { data };
}

beforeEach(async () => {
  [newest, held] = [6, undefined];
  feed = new Feed<number>(page, (id) => id, PAGE);
  await feed.refresh();
  await feed.more();
  expect(feed.items).toEqual([6, 5, 4, 3, 2, 1]);
});

it('keeps loaded items below new ones', async () => {
  newest = 8;
  await feed.refresh();
  expect(feed.items).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
});

it('has no gap if there are more new items than fit on one page', async () => {
  newest = 12;
  await feed.refresh();
  expect(feed.items).toEqual([12, 11, 10]);
  await feed.more();
  expect(feed.items).toEqual([12, 11, 10, 9, 8, 7]);
});

it('does not append older items to a list that was reloaded', async () => {
  let release = (): void => undefined;
  held = new Promise((done) => (release = done));
  const more = feed.more();
  [newest, held] = [12, undefined];
  await feed.refresh();
  release();
  await more;
  expect(feed.items).toEqual([12, 11, 10]);
});

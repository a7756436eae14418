import { expect, it, vi } from 'vitest';
import { favorites } from '../src/data/favorites.svelte.ts';
import { signedIn } from '../src/data/me.svelte.ts';
import type { Me } from '../src/data/types.ts';

const server = vi.hoisted(() => ({ names: ['Kiel'], answers: [] as (() => void)[] }));

vi.mock('../src/service.ts', () => ({
  api: {
    GET: () => {
      const data = { favorites: server.names.map((name) => ({ name })) };
      return new Promise((done) => server.answers.push(() => done({ data })));
    },
  },
}));

it('includes a spot that was added while the list was loading', async () => {
  signedIn.enter({ id: 1 } as Me);
  const loaded = favorites.load();
  server.names = ['Kiel', 'Sylt'];
  favorites.forget();
  server.answers.shift()!();
  await vi.waitUntil(() => server.answers.length > 0);
  server.answers.shift()!();
  await loaded;
  expect(favorites.list?.map(({ name }) => name)).toEqual(['Kiel', 'Sylt']);
});

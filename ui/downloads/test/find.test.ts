import { router } from '@quartet/kit';
import { beforeEach, expect, test, vi } from 'vitest';

const answers: Record<string, unknown> = {
  '/api/packages': {
    packages: [
      { collector: true, downloads: [{ id: 1, name: 'later.zip' }] },
      { collector: false, downloads: [{ id: 2, name: 'now.zip' }] },
    ],
  },
  '/api/files/search': [
    { path: 'Sea & sun', dir: true },
    { path: 'Sea & sun/film.mkv', dir: false },
    { path: 'top.txt', dir: false },
  ],
};
vi.mock('../src/service.ts', () => ({
  api: { GET: (path: string) => Promise.resolve({ data: answers[path] }) },
}));

const { findCommands } = await import('../src/search/find.ts');
const opened: string[] = [];

beforeEach(() => {
  opened.length = 0;
  vi.spyOn(router, 'go').mockImplementation((path) => void opened.push(path));
});

test('downloads and finished files lead to their places', async () => {
  const found = await findCommands('zip');
  expect(found.map(({ label }) => label)).toEqual([
    'now.zip',
    'later.zip',
    'Sea & sun',
    'Sea & sun/film.mkv',
    'top.txt',
  ]);
  for (const { run } of found) run();
  expect(opened).toEqual([
    '/?download=2',
    '/grabber?q=later.zip',
    '/done?path=Sea+%26+sun',
    '/done?path=Sea+%26+sun&file=film.mkv',
    '/done?file=top.txt',
  ]);
});

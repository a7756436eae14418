import { beforeEach, expect, it, vi } from 'vitest';
import { FileTree, type FileRow } from '../src/files/tree.svelte.ts';

const server = vi.hoisted(() => ({
  /** The content of each folder, and pending responses. */
  folders: {} as Record<string, string[]>,
  answers: [] as (() => void)[],
}));

vi.mock('../src/service.ts', () => {
  const entry = (path: string) => ({
    path,
    name: path,
    kind: path in server.folders ? 'dir' : 'video',
  });
  return {
    api: {
      GET: (_path: string, { params }: { params: { query: { path: string } } }) => {
        const entries = (server.folders[params.query.path] ?? []).map(entry);
        return new Promise((done) => {
          server.answers.push(() => done({ data: { entries, cursor: null } }));
        });
      },
    },
  };
});

const row = (tree: FileTree, path: string): FileRow => tree.rows.find(({ key }) => key === path)!;
const shown = (tree: FileTree): string[] => tree.rows.map(({ key }) => key);

/** Responses arrive in the given order. */
async function arrive(...order: number[]): Promise<void> {
  const waiting = server.answers.splice(0);
  for (const place of order) {
    waiting[place]!();
    await vi.waitFor(() => undefined);
  }
}

let tree: FileTree;

beforeEach(async () => {
  server.folders = { '': ['/films', '/series'], '/films': ['/films/a'], '/series': ['/series/b'] };
  server.answers = [];
  tree = new FileTree();
  tree.start();
  await arrive(0);
});

it('opens two folders clicked before the first is loaded', async () => {
  const folds = [tree.fold(row(tree, '/films')), tree.fold(row(tree, '/series'))];
  await arrive(0, 1);
  await Promise.all(folds);
  expect(shown(tree)).toEqual(['/films', '/films/a', '/series', '/series/b']);
});

it('shows the current files whichever response arrives last', async () => {
  const opened = tree.fold(row(tree, '/films'));
  await arrive(0);
  await opened;
  const before = tree.reload();
  server.folders['/films'] = ['/films/renamed'];
  const after = tree.reload();
  await arrive(2, 3, 0, 1);
  await Promise.all([before, after]);
  expect(shown(tree)).toEqual(['/films', '/films/renamed', '/series']);
});

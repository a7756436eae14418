import { beforeEach, expect, it, vi } from 'vitest';
import { fleet } from '../src/data/fleet.svelte.ts';
import { draft } from '../src/matrix/draft.svelte.ts';
import { rowsOf } from '../src/matrix/draft.ts';
import { aDevice, aFolder, anOverview, aShare } from './fixtures.ts';

const laptop = aDevice();
const tower = aDevice({ id: 2, name: 'Tower' });
const phone = aDevice({ id: 3, name: 'Phone', agentless: true });
const friend = aDevice({ id: 4, name: 'Friend', agentless: true });
const photos = aFolder();
const music = aFolder({ id: 11, label: 'Music' });
const overview = anOverview({
  devices: [laptop, tower, phone, friend],
  folders: [photos, music],
  shares: [aShare(), aShare({ deviceId: 4, mode: 'encrypted', path: '' })],
});
const row = overview.devices.map((device) => ({ folder: photos, device }));

vi.mock('../src/service.ts', () => ({
  api: { GET: () => Promise.resolve({ data: overview, response: new Response() }) },
  live: { on: () => () => undefined, onReload: () => () => undefined },
}));

beforeEach(async () => {
  draft.discard();
  await fleet.reload();
});

it('sets the mode of a row, keeps paths, and leaves an encrypted copy as it is', () => {
  draft.setAll(row, 'both');
  expect(rowsOf(draft.changes)).toEqual([
    { folderId: 10, deviceId: 2, mode: 'both', path: '~/Sync/Photos' },
    { folderId: 10, deviceId: 3, mode: 'both', path: '' },
  ]);
});

it('sets only modes that the hub can enforce on devices without an agent', () => {
  draft.setAll(row, 'receive');
  expect(rowsOf(draft.changes)).toEqual([
    { folderId: 10, deviceId: 1, mode: 'receive', path: '/home/robin/Photos' },
    { folderId: 10, deviceId: 2, mode: 'receive', path: '~/Sync/Photos' },
  ]);
});

it('sets the mode of a column', () => {
  const column = overview.folders.map((folder) => ({ folder, device: laptop }));
  draft.setAll(column, 'send');
  expect(rowsOf(draft.changes).map(({ folderId, path }) => [folderId, path])).toEqual([
    [10, '/home/robin/Photos'],
    [11, '~/Sync/Music'],
  ]);
});

it('turns every share of a row off', () => {
  draft.setAll(row, 'off');
  expect(rowsOf(draft.changes).map(({ deviceId, mode }) => [deviceId, mode])).toEqual([
    [1, 'off'],
    [4, 'off'],
  ]);
});

import { expect, it } from 'vitest';
import { mergedOverview, mergedStatus, NO_STATUS, outdates } from '../src/data/merge.ts';
import type { LiveStatus, Update } from '../src/data/types.ts';
import { anOverview, aStatus } from './fixtures.ts';

const update = (status: LiveStatus, values: Partial<Update> = {}): Update => ({
  revision: 1,
  online: [1],
  status,
  hub: anOverview().hub,
  waiting: [],
  problems: [],
  pendingDevices: [],
  conflicts: {},
  ...values,
});

it('keeps data that an update does not contain', () => {
  const before = aStatus({ needFiles: 3 });
  const after = mergedStatus(before, {
    devices: { 2: { online: true, folders: {} } },
    hub: { folders: {} },
  });
  expect(after.devices[1]).toBe(before.devices[1]);
  expect(after.devices[2]?.online).toBe(true);
});

it('reloads the overview for a new revision or an unchanged status', () => {
  const overview = anOverview();
  const known = aStatus({ needFiles: 3 });
  expect(outdates(update(aStatus({ needFiles: 2 })), overview, known)).toBe(false);
  expect(outdates(update(aStatus({ needFiles: 2 }), { revision: 2 }), overview, known)).toBe(true);
  expect(outdates(update(known), overview, known)).toBe(true);
  expect(outdates(update(NO_STATUS), overview, known)).toBe(true);
});

it('applies online changes and conflicts at once', () => {
  const overview = anOverview();
  const news = update(NO_STATUS, { online: [], conflicts: { 10: 3 } });
  expect(mergedOverview(overview, news).folders[0]?.conflicts).toBe(3);
  expect(mergedOverview(overview, news).devices[0]?.online).toBe(false);
});

import { combined, hubProgress, isTroubled, type Placed, type ShareState } from './progress.ts';
import type { Device, Folder, LiveStatus, Overview } from './types.ts';

const ONCE: readonly ShareState[] = ['refusing', 'hub_error'];

/** The subject of the headline; the most urgent one wins. */
export type Health =
  | { kind: 'empty' }
  | { kind: 'disk' }
  | { kind: 'hub' }
  | { kind: 'errors'; count: number }
  | { kind: 'conflicts'; count: number }
  | { kind: 'one_behind'; device: string; count: number }
  | { kind: 'behind'; devices: number; count: number }
  | { kind: 'one_sending'; device: string; count: number }
  | { kind: 'hub_behind'; count: number }
  | { kind: 'unconfirmed'; count: number }
  | { kind: 'paused'; count: number }
  | { kind: 'offline'; devices: number; offline: number }
  | { kind: 'good'; devices: number };

export interface Trouble {
  device: Device;
  folder: Folder;
  code: string;
  inputs: Record<string, unknown>;
}

/** Folders for which a device reports an error. */
export function troubles(overview: Overview): Trouble[] {
  const folders = new Map(overview.folders.map((folder) => [folder.id, folder]));
  return overview.devices
    .filter((device) => !device.blocked)
    .flatMap((device) =>
      device.errors.flatMap(({ folderId, code, inputs }) => {
        const folder = folders.get(folderId);
        return folder ? [{ device, folder, code, inputs }] : [];
      }),
    );
}

/** Devices that do not follow this server, because they followed another copy of it. */
export const refusing = ({ devices }: Overview): Device[] =>
  devices.filter(({ blocked, refusal }) => !blocked && refusal);

export const inConflict = ({ folders }: Overview): Folder[] =>
  folders.filter(({ conflicts }) => conflicts > 0);

const conflictCount = ({ folders }: Overview): number =>
  folders.reduce((sum, { conflicts }) => sum + conflicts, 0);

/** What somebody has to decide or repair, for the badge of the overview. */
export const openCount = (
  overview: Overview,
  shares: readonly Placed[],
  hub: LiveStatus['hub'],
): number =>
  problemCount(overview, shares, hub) + conflictCount(overview) + overview.waiting.length;

/** Devices whose clock is wrong. */
export const wrongClocks = ({ devices }: Overview): Device[] =>
  devices.filter(({ blocked, online, clockOffset }) => !blocked && online && clockOffset !== 0);

export const hubIsDown = ({ hub, devices, folders }: Overview): boolean =>
  // Without devices and folders, the hub is stopped on purpose, unless something is missing.
  (devices.length > 0 || folders.length > 0 || hub.error !== null) &&
  (hub.state === 'stopped' || hub.state === 'retrying');

/** Folders of which the hub could not receive some files. */
export const failingOnHub = ({ folders }: Overview, hub: LiveStatus['hub']): Folder[] =>
  folders.filter(({ id }) => hubProgress(hub.folders[id])?.state === 'failing');

export function healthOf(
  overview: Overview,
  shares: readonly Placed[],
  hub: LiveStatus['hub'],
): Health {
  const { devices } = overview;
  const errors = problemCount(overview, shares, hub);
  const conflicts = conflictCount(overview);
  // A full disk is often the reason for all other problems.
  if (overview.problems.length > 0) return { kind: 'disk' };
  if (hubIsDown(overview)) return { kind: 'hub' };
  if (devices.length === 0) return { kind: 'empty' };
  if (errors > 0) return { kind: 'errors', count: errors };
  if (conflicts > 0) return { kind: 'conflicts', count: conflicts };
  return pace(devices, shares, hub);
}

/** Counts a device that does not follow, or a folder that fails on the hub, only once. */
function problemCount(
  overview: Overview,
  shares: readonly Placed[],
  hub: LiveStatus['hub'],
): number {
  const failing = shares.filter(({ progress }) => isTroubled(progress));
  const onHub = failing.filter(({ progress }) => progress.state === 'hub_error');
  const others = failing.filter(({ progress: { state } }) => !ONCE.includes(state));
  return (
    others.length +
    refusing(overview).length +
    new Set(onHub.map(({ folder }) => folder.id)).size +
    failingOnHub(overview, hub).length
  );
}

function pace(
  devices: readonly Device[],
  shares: readonly Placed[],
  hub: LiveStatus['hub'],
): Health {
  const working = shares.filter(
    ({ device, progress }) =>
      device.online && progress.needItems > 0 && progress.state !== 'paused',
  );
  const behind = new Map(working.map(({ device }) => [device.id, device.name]));
  const count = combined(working.map(({ progress }) => progress)).needItems;
  const [first] = behind.values();
  if (first !== undefined && behind.size === 1) return { kind: 'one_behind', device: first, count };
  if (behind.size > 1) return { kind: 'behind', devices: behind.size, count };
  const sending = arriving(shares, hub);
  if (sending) return sending;
  const unconfirmed = foldersIn('unconfirmed', shares);
  if (unconfirmed > 0) return { kind: 'unconfirmed', count: unconfirmed };
  const offline = devices.filter((device) => !device.online && !device.blocked).length;
  if (offline > 0) return { kind: 'offline', devices: devices.length, offline };
  const paused = foldersIn('paused', shares);
  if (paused > 0) return { kind: 'paused', count: paused };
  return { kind: 'good', devices: devices.length };
}

/** The number of folders that are in this state on any device. */
const foldersIn = (state: ShareState, shares: readonly Placed[]): number =>
  new Set(shares.filter(({ progress }) => progress.state === state).map(({ folder }) => folder.id))
    .size;

/** What the hub has yet to receive: the devices are not up to date before they have it. */
function arriving(shares: readonly Placed[], hub: LiveStatus['hub']): Health | undefined {
  const sending = shares.filter(({ progress }) => progress.unsentItems > 0);
  const names = new Set(sending.map(({ device }) => device.name));
  const [first] = names;
  if (first !== undefined && names.size === 1) {
    const count = combined(sending.map(({ progress }) => progress)).unsentItems;
    return { kind: 'one_sending', device: first, count };
  }
  const missing = Object.values(hub.folders).flatMap((status) => hubProgress(status) ?? []);
  const count = Math.max(
    combined(missing).needItems,
    combined(sending.map(({ progress }) => progress)).unsentItems,
  );
  return count > 0 ? { kind: 'hub_behind', count } : undefined;
}

/** A draft of the matrix: changes on top of the current state. */
import type { BadRow, Device, Folder, Mode, Share, ShareChange } from '../data/types.ts';

export interface Cell {
  mode: Mode;
  path: string;
  /** For a share that becomes encrypted. */
  password?: string;
}

export interface Change {
  folderId: number;
  deviceId: number;
  /** The cell when the change was made. */
  before: Cell;
  after: Cell;
}

export type Key = `${number}:${number}`;
export type Changes = ReadonlyMap<Key, Change>;

export const OFF: Cell = { mode: 'off', path: '' };
export const MODES = ['both', 'send', 'receive', 'off'] as const;
/** The modes that the hub can enforce for a device without an agent. */
export const AGENTLESS_MODES = ['both', 'encrypted', 'off'] as const;

export const modesFor = (device: Device, folder: Folder): readonly Mode[] => {
  if (!device.agentless) return MODES;
  // The hub itself cannot read such a folder.
  return folder.encryptedOnHub ? ['both', 'off'] : AGENTLESS_MODES;
};

export const keyOf = (folderId: number, deviceId: number): Key => `${folderId}:${deviceId}`;

export function cellsOf(shares: readonly Share[]): Map<Key, Cell> {
  return new Map(
    shares.map(({ folderId, deviceId, mode, path }) => [keyOf(folderId, deviceId), { mode, path }]),
  );
}

/** Compares cells; the path of a share that is off does not matter. */
export const same = (a: Cell, b: Cell): boolean =>
  a.mode === b.mode && (a.mode === 'off' || a.path === b.path);

/** Adds a change, or drops it if it equals the current state. */
export function changed(
  changes: Changes,
  place: { folderId: number; deviceId: number },
  before: Cell,
  after: Cell,
): Changes {
  const next = new Map(changes);
  const key = keyOf(place.folderId, place.deviceId);
  if (same(before, after)) next.delete(key);
  else next.set(key, { folderId: place.folderId, deviceId: place.deviceId, before, after });
  return next;
}

export interface Rebased {
  changes: Changes;
  /** Changes that another user has changed in a different way. */
  clashes: ReadonlySet<Key>;
}

/** Rebases the draft on a newer state: drops changes that are already done and collects clashes. */
export function rebased(changes: Changes, cells: ReadonlyMap<Key, Cell>): Rebased {
  const kept = new Map<Key, Change>();
  const clashes = new Set<Key>();
  for (const [key, change] of changes) {
    const now = cells.get(key) ?? OFF;
    if (same(now, change.after)) continue;
    if (!same(now, change.before)) clashes.add(key);
    kept.set(key, { ...change, before: now });
  }
  return { changes: kept, clashes };
}

/** Drops rows of removed devices and folders. */
export function existing(
  changes: Changes,
  devices: readonly Device[],
  folders: readonly Folder[],
): Changes {
  const deviceIds = new Set(devices.map(({ id }) => id));
  const folderIds = new Set(folders.map(({ id }) => id));
  return new Map(
    [...changes].filter(
      ([, { deviceId, folderId }]) => deviceIds.has(deviceId) && folderIds.has(folderId),
    ),
  );
}

export function rowsOf(changes: Changes): ShareChange[] {
  return [...changes.values()].map(({ folderId, deviceId, after }) => ({
    folderId,
    deviceId,
    mode: after.mode,
    ...(after.mode === 'off' ? {} : { path: after.path }),
    ...(after.password ? { password: after.password } : {}),
  }));
}

export function badRows(rows: unknown): Map<Key, BadRow> {
  const list = Array.isArray(rows) ? (rows as BadRow[]) : [];
  return new Map(list.map((row) => [keyOf(row.folderId, row.deviceId), row]));
}

/** Suggests a path next to the device's other folders. */
export function suggestedPath(device: Device, folder: Folder, shares: readonly Share[]): string {
  const other = shares.find(({ deviceId }) => deviceId === device.id)?.path;
  if (!other) return '';
  const slash = device.os === 'windows' ? '\\' : '/';
  const end = Math.max(other.lastIndexOf('/'), other.lastIndexOf('\\'));
  const name = folder.label.replaceAll(/[<>:"|?*/\\]/g, '-').replace(/[. ]+$/, '');
  return end > 0 ? other.slice(0, end) + slash + name : '';
}

const EXAMPLES: Record<string, (name: string) => string> = {
  windows: (name) => `C:\\Users\\robin\\${name}`,
  macos: (name) => `/Users/robin/${name}`,
};

export const examplePath = (device: Device, folder: Folder): string =>
  EXAMPLES[device.os]?.(folder.label) ?? `/home/robin/${folder.label}`;

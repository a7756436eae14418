/** A draft of the matrix: changes on top of the current state. */
import type { BadRow, Device, Folder, Mode, Share, ShareChange } from '../data/types.ts';

export interface Cell {
  mode: Mode;
  path: string;
  /** Ignore patterns of this device only; undefined if there are none. */
  patterns?: readonly string[];
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
    shares.map(({ folderId, deviceId, mode, path, ignorePatterns: patterns }) => [
      keyOf(folderId, deviceId),
      { mode, path, ...(patterns?.length ? { patterns } : {}) },
    ]),
  );
}

const lines = ({ patterns }: Cell): string => (patterns ?? []).join('\n');

/** Compares cells; the path of a share that is off does not matter. */
export const same = (a: Cell, b: Cell): boolean =>
  a.mode === b.mode && (a.mode === 'off' || (a.path === b.path && lines(a) === lines(b)));

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
  return [...changes.values()].map(({ folderId, deviceId, before, after }) => ({
    folderId,
    deviceId,
    mode: after.mode,
    ...(after.mode === 'off' ? {} : { path: after.path }),
    ...(after.mode !== 'off' && lines(before) !== lines(after)
      ? { ignorePatterns: [...(after.patterns ?? [])] }
      : {}),
    ...(after.password ? { password: after.password } : {}),
  }));
}

export function badRows(rows: unknown): Map<Key, BadRow> {
  const list = Array.isArray(rows) ? (rows as BadRow[]) : [];
  return new Map(list.map((row) => [keyOf(row.folderId, row.deviceId), row]));
}

/** The path that the template of the device or the server gives a folder. */
export function templatePath(
  device: Device,
  folder: Folder,
  template: string,
  taken: readonly string[],
): string {
  const windows = device.os === 'windows';
  const used = (device.pathTemplate || template).replaceAll('/', windows ? '\\' : '/');
  const name =
    folder.label.replaceAll(/[<>:"|?*/\\]/g, '-').replaceAll(/^[. ]+|[. ]+$/g, '') ||
    folder.engineFolderId;
  const at = (name: string): string => used.replaceAll('{folder}', name);
  let path = at(name);
  for (let number = 2; taken.includes(path); number++) path = at(`${name} ${number}`);
  return path;
}

const EXAMPLES: Record<string, (name: string) => string> = {
  windows: (name) => `C:\\Users\\robin\\${name}`,
  macos: (name) => `/Users/robin/${name}`,
};

export const examplePath = (device: Device, folder: Folder): string =>
  EXAMPLES[device.os]?.(folder.label) ?? `/home/robin/${folder.label}`;

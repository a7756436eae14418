import type { Device, Folder, FolderStatus, HubFolderStatus, LiveStatus, Share } from './types.ts';

export type ShareState =
  | 'blocked'
  | 'held'
  | 'refusing'
  | 'hub_error'
  | 'error'
  | 'failing'
  | 'offline'
  | 'syncing'
  | 'sending'
  | 'scanning'
  | 'paused'
  | 'drifted'
  | 'ready'
  | 'pending'
  | 'unconfirmed'
  | 'unaccepted'
  | 'unknown';

const TROUBLED: readonly ShareState[] = ['held', 'refusing', 'hub_error', 'error', 'failing'];

/** True if somebody has to do something about the share. */
export const isTroubled = ({ state }: ShareProgress): boolean => TROUBLED.includes(state);

/** The progress of one folder on one device. */
export interface ShareProgress {
  state: ShareState;
  /** Between 0 and 1; undefined if unknown. */
  share: number | undefined;
  needItems: number;
  needBytes: number;
  /** What the hub has yet to receive from the device. */
  unsentItems: number;
  unsentBytes: number;
  /** Number of failed items, or of items that differ from the mode. */
  count: number;
}

export function shareProgress(
  share: Share,
  device: Device,
  { devices, hub }: LiveStatus,
): ShareProgress {
  const own = devices[share.deviceId]?.folders[share.folderId];
  const found = hub.folders[share.folderId]?.completion?.[share.deviceId];
  const seen = found?.known ? found : undefined;
  // Each may know of missing files before the other does, and after a device was put on hold, the hub
  // may count too few files of the others for minutes.
  const needItems = Math.max(seen?.needItems ?? 0, own?.needFiles ?? 0);
  const needBytes = Math.max(seen?.needBytes ?? 0, own?.needBytes ?? 0);
  const hubFails = hub.folders[share.folderId]?.state === 'error';
  const confirmed = isConfirmed(own, hub.folders[share.folderId], seen !== undefined);
  const state = stateOf(share, device, own, needItems, hubFails, confirmed);
  const sends = device.online && confirmed && state !== 'paused';
  return {
    state,
    share: shownShare(state, own, smallerShare(device.agentless ? undefined : own, seen)),
    needItems,
    needBytes,
    unsentItems: sends ? (own?.unsentItems ?? 0) : 0,
    unsentBytes: sends ? (own?.unsentBytes ?? 0) : 0,
    count: state === 'drifted' ? (own?.drifted ?? 0) : (own?.errors ?? 0),
  };
}

/**
 * False as long as the device and its hub know nothing of each other's files: the device cannot tell
 * what either of them lacks.
 */
function isConfirmed(
  own: FolderStatus | undefined,
  onHub: HubFolderStatus | undefined,
  seen: boolean,
): boolean {
  const isEmpty = !own?.files && onHub !== undefined && !onHub.files;
  return own?.hubKnown !== false || seen || isEmpty;
}

function ownShare({ bytes = 0, needBytes = 0, needFiles = 0 }: FolderStatus): number {
  if (needBytes === 0) return needFiles === 0 ? 1 : 0.99;
  return bytes / (bytes + needBytes);
}

function smallerShare(
  own: FolderStatus | undefined,
  seen: { percent: number } | undefined,
): number | undefined {
  const known = [...(own ? [ownShare(own)] : []), ...(seen ? [seen.percent / 100] : [])];
  return known.length > 0 ? Math.min(...known) : undefined;
}

function shownShare(
  state: ShareState,
  own: FolderStatus | undefined,
  known: number | undefined,
): number | undefined {
  // What the hub knows about a folder that does not work is no progress.
  if (state === 'error' || state === 'unconfirmed') return undefined;
  return state === 'sending' && own ? sentShare(own) : known;
}

/** How much of the folder has arrived at the hub, less than all of it. */
const sentShare = ({ bytes = 0, unsentBytes = 0 }: FolderStatus): number =>
  Math.min(0.99, Math.max(0, 1 - unsentBytes / Math.max(bytes, 1)));

/** The progress of a folder on the hub itself; undefined if the hub does not report it. */
export function hubProgress(status: HubFolderStatus | undefined): ShareProgress | undefined {
  if (!status) return undefined;
  const { needFiles = 0, needBytes = 0, errors = 0 } = status;
  const state = engineState(status, needFiles, true);
  return {
    state: state === 'error' ? 'hub_error' : state,
    share: ownShare(status),
    needItems: needFiles,
    needBytes,
    unsentItems: 0,
    unsentBytes: 0,
    count: errors,
  };
}

function stateOf(
  { folderId, held, paused }: Share,
  device: Device,
  own: FolderStatus | undefined,
  needItems: number,
  hubFails: boolean,
  confirmed: boolean,
): ShareState {
  if (device.blocked) return 'blocked';
  if (held) return 'held';
  if (device.refusal) return 'refusing';
  if (hubFails) return 'hub_error';
  if (device.errors.some((error) => error.folderId === folderId)) return 'error';
  if (device.pace.paused) return 'paused';
  // An agent that is connected reports when the folder has really stopped.
  if (paused && (device.agentless || !device.online)) return 'paused';
  if (!device.online) return 'offline';
  if (device.agentless && !own) return 'unaccepted';
  // A connected device reports each folder once it has applied the share.
  return own ? engineState(own, needItems, confirmed) : 'pending';
}

function engineState(own: FolderStatus, needItems: number, confirmed: boolean): ShareState {
  switch (own.state) {
    case 'error':
      return 'error';
    case 'paused':
      return 'paused';
    case 'scanning':
    case 'scan-waiting':
      return 'scanning';
    case 'stopped':
    case 'unknown':
      return 'unknown';
    default:
      return restingState(own, needItems, confirmed);
  }
}

function restingState(own: FolderStatus, needItems: number, confirmed: boolean): ShareState {
  if (own.errors) return 'failing';
  if (own.state.startsWith('sync') || needItems > 0) return 'syncing';
  if (!confirmed) return 'unconfirmed';
  if (own.unsentItems) return 'sending';
  return own.drifted ? 'drifted' : 'ready';
}

/** The combined progress of several shares, of a device or a folder. */
export interface CombinedProgress {
  share: number | undefined;
  needItems: number;
  needBytes: number;
  unsentItems: number;
  unsentBytes: number;
  /** Number of shares that are paused, and of those whose device waits for its hub. */
  paused: number;
  unconfirmed: number;
}

const inState = (all: readonly ShareProgress[], wanted: ShareState): number =>
  all.filter(({ state }) => state === wanted).length;

/**
 * Uses the smallest share instead of the mean, because work is done only when all shares are.
 * Paused shares count only as such: what they lack is not under way.
 */
export function combined(all: readonly ShareProgress[]): CombinedProgress {
  const list = all.filter(({ state }) => state !== 'paused');
  const known = list.flatMap(({ share }) => (share === undefined ? [] : [share]));
  return {
    share: known.length > 0 ? Math.min(...known) : undefined,
    needItems: list.reduce((sum, { needItems }) => sum + needItems, 0),
    needBytes: list.reduce((sum, { needBytes }) => sum + needBytes, 0),
    unsentItems: list.reduce((sum, { unsentItems }) => sum + unsentItems, 0),
    unsentBytes: list.reduce((sum, { unsentBytes }) => sum + unsentBytes, 0),
    paused: inState(all, 'paused'),
    unconfirmed: inState(all, 'unconfirmed'),
  };
}

export interface Placed {
  share: Share;
  device: Device;
  folder: Folder;
  progress: ShareProgress;
}

/** Shares with their device, folder and progress. */
export function placed(
  shares: readonly Share[],
  devices: readonly Device[],
  folders: readonly Folder[],
  status: LiveStatus,
): Placed[] {
  const deviceOf = new Map(devices.map((device) => [device.id, device]));
  const folderOf = new Map(folders.map((folder) => [folder.id, folder]));
  return shares.flatMap((share) => {
    const device = deviceOf.get(share.deviceId);
    const folder = folderOf.get(share.folderId);
    if (!device || !folder) return [];
    return [{ share, device, folder, progress: shareProgress(share, device, status) }];
  });
}

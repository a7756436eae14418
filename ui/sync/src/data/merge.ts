import type { LiveStatus, Overview, Update } from './types.ts';

export const NO_STATUS: LiveStatus = { devices: {}, hub: { folders: {} } };

/** Merges an update into the known status. */
export function mergedStatus(before: LiveStatus, news: LiveStatus): LiveStatus {
  return {
    devices: { ...before.devices, ...news.devices },
    hub: { folders: { ...before.hub.folders, ...news.hub.folders } },
  };
}

/** Merges the parts of the overview that an update contains. */
export function mergedOverview(before: Overview, update: Update): Overview {
  const online = new Set(update.online);
  const now = Math.floor(Date.now() / 1000);
  return {
    ...before,
    hub: update.hub,
    waiting: update.waiting,
    problems: update.problems,
    pendingDevices: update.pendingDevices,
    folders: before.folders.map((folder) => {
      const conflicts = update.conflicts[folder.id] ?? 0;
      return conflicts === folder.conflicts ? folder : { ...folder, conflicts };
    }),
    devices: before.devices.map((device) => {
      const isOnline = online.has(device.id);
      if (!isOnline && !device.online) return device;
      return { ...device, online: isOnline, lastSeen: now };
    }),
  };
}

/**
 * Returns true if the overview must be reloaded: for a new revision, or if the status did not
 * change.
 */
export function outdates(update: Update, overview: Overview, status: LiveStatus): boolean {
  if (update.revision !== overview.revision) return true;
  return !bringsStatus(update.status, status);
}

function bringsStatus(news: LiveStatus, known: LiveStatus): boolean {
  const devices = Object.entries(news.devices);
  const folders = Object.entries(news.hub.folders);
  return (
    devices.some(([id, each]) => differs(each, known.devices[id])) ||
    folders.some(([id, each]) => differs(each, known.hub.folders[id]))
  );
}

const differs = (a: unknown, b: unknown): boolean => JSON.stringify(a) !== JSON.stringify(b);

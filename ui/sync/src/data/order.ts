import type { Placed } from './progress.ts';
import type { Device } from './types.ts';

export const byDevice = (shares: readonly Placed[]): Map<number, Placed[]> =>
  grouped(shares, ({ device }) => device.id);

export const byFolder = (shares: readonly Placed[]): Map<number, Placed[]> =>
  grouped(shares, ({ folder }) => folder.id);

function grouped(shares: readonly Placed[], key: (share: Placed) => number): Map<number, Placed[]> {
  const groups = new Map<number, Placed[]>();
  for (const share of shares) {
    const group = groups.get(key(share));
    if (group) group.push(share);
    else groups.set(key(share), [share]);
  }
  return groups;
}

/** Sorts by urgency, then active ones, then by name. */
export function pressing(
  devices: readonly Device[],
  shares: ReadonlyMap<number, readonly Placed[]>,
): Device[] {
  const rank = (device: Device): number => {
    if (device.blocked) return 4;
    if (device.errors.length > 0) return 0;
    const behind = (shares.get(device.id) ?? []).some(
      ({ progress: { needItems, state } }) => needItems > 0 && state !== 'paused',
    );
    return behind ? 1 : device.online ? 2 : 3;
  };
  return [...devices].sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}

export const fits = (name: string, words: string): boolean =>
  name.toLocaleLowerCase().includes(words.trim().toLocaleLowerCase());

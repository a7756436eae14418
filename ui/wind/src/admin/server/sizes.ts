import type { AdminStorage } from '../types.ts';

export interface Part {
  id: string;
  bytes: number;
  /** Share of everything stored, between 0 and 1. */
  share: number;
}

/** Returns the disk usage of each folder, largest first, without empty ones. */
export function partsOf(storage: Pick<AdminStorage, 'database' | 'folders'>): Part[] {
  const sizes = { database: storage.database.bytes, ...storage.folders };
  const total = Object.values(sizes).reduce((sum, size) => sum + size, 0);
  return Object.entries(sizes)
    .filter(([, bytes]) => bytes > 0)
    .map(([id, bytes]) => ({ id, bytes, share: bytes / total }))
    .sort((one, other) => other.bytes - one.bytes);
}

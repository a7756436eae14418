import type { Folder, FoundPatterns } from '../data/types.ts';

/** The patterns of each folder after those that were found on devices are added. */
export function adoptedPatterns(
  found: readonly FoundPatterns[],
  folders: readonly Folder[],
): Map<number, string[]> {
  const adopted = new Map<number, string[]>();
  for (const { folderId, patterns } of found) {
    const known =
      adopted.get(folderId) ?? folders.find(({ id }) => id === folderId)?.ignorePatterns ?? [];
    adopted.set(folderId, [...new Set([...known, ...patterns])]);
  }
  return adopted;
}

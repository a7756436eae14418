import type { HistoryEntry } from '../data/types.ts';

export interface PackageAgain {
  links: string;
  packageName: string;
  targetDir?: string;
  start: true;
}

/** The packages that fetch entries of the history again, each into the folder it had. */
export function packagesAgain(entries: readonly HistoryEntry[]): PackageAgain[] {
  const found = new Map<string, { first: HistoryEntry; urls: Set<string> }>();
  for (const entry of entries) {
    const key = JSON.stringify([entry.packageName, folderOf(entry)]);
    const group = found.get(key) ?? { first: entry, urls: new Set() };
    group.urls.add(entry.url);
    found.set(key, group);
  }
  return [...found.values()].map(({ first, urls }) => ({
    links: [...urls].join('\n'),
    packageName: first.packageName,
    targetDir: folderOf(first),
    start: true,
  }));
}

/** Unknown for a torrent, whose files may be in folders below its own. */
function folderOf({ host, file }: HistoryEntry): string | undefined {
  if (host === 'torrent' || !file?.includes('/')) return undefined;
  return file.split('/').slice(0, -1).join('/');
}

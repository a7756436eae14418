import type { Changed, Download, Package } from './types.ts';

/** Packages and downloads that have to be loaded again. */
export class Outdated {
  readonly packages = new Set<number>();
  readonly downloads = new Set<number>();

  get isEmpty(): boolean {
    return this.packages.size + this.downloads.size === 0;
  }

  add({ packages = [], downloads = [] }: Changed): void {
    for (const id of packages) this.packages.add(id);
    for (const id of downloads) this.downloads.add(id);
  }

  /** The ids as the query of a request. */
  get query(): { ids: string; downloads: string } {
    return { ids: [...this.packages].join(','), downloads: [...this.downloads].join(',') };
  }
}

/** Whether the event says what has changed. */
export const isSpecific = ({ packages, downloads }: Changed): boolean =>
  packages !== undefined || downloads !== undefined;

/**
 * The list with the loaded packages, without what is gone. Undefined if there are new packages or
 * downloads, whose places only the server knows.
 */
export function patched(
  list: readonly Package[],
  outdated: Outdated,
  loaded: readonly Package[],
): Package[] | undefined {
  const packages = new Map(loaded.map((each) => [each.id, each]));
  const downloads = new Map(
    loaded.flatMap((each) => each.downloads.map((one): [number, Download] => [one.id, one])),
  );
  const found: Package[] = [];
  for (const each of list) {
    const next = packages.get(each.id);
    packages.delete(each.id);
    if (!next && outdated.packages.has(each.id)) continue;
    const kept = keptOf(each, outdated, downloads);
    if (kept.length > 0)
      found.push(next || kept !== each.downloads ? { ...(next ?? each), downloads: kept } : each);
  }
  return packages.size + downloads.size > 0 ? undefined : found;
}

/** The downloads of a package; takes those it replaces out of `loaded`. */
function keptOf(given: Package, outdated: Outdated, loaded: Map<number, Download>): Download[] {
  if (!given.downloads.some(({ id }) => outdated.downloads.has(id))) return given.downloads;
  return given.downloads.flatMap((each) => {
    if (!outdated.downloads.has(each.id)) return [each];
    const next = loaded.get(each.id);
    loaded.delete(each.id);
    return next ? [next] : [];
  });
}

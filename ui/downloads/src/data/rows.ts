import type { Selection } from '@quartet/kit';
import { fits, type Filter } from './states.ts';
import type { Download, Package } from './types.ts';

export interface PackageRow {
  kind: 'package';
  key: string;
  package: Package;
  /** The downloads that match the search. */
  shown: readonly Download[];
}

export interface DownloadRow {
  kind: 'download';
  key: string;
  download: Download;
}

export type Row = PackageRow | DownloadRow;

export interface Sought {
  words: string;
  filter: Filter | undefined;
}

export const packageKey = (id: number): string => `p${id}`;
export const downloadKey = (id: number): string => `d${id}`;

/** The packages with their matching downloads, without packages that have none. */
export function groupsOf(packages: readonly Package[], sought: Sought): PackageRow[] {
  return packages.flatMap((each) => {
    const shown = found(each, sought);
    const key = packageKey(each.id);
    return shown.length > 0 ? [{ kind: 'package' as const, key, package: each, shown }] : [];
  });
}

/** The packages, each followed by its downloads unless it is collapsed. */
export function rowsOf(groups: readonly PackageRow[], folded: ReadonlySet<number>): Row[] {
  const rows: Row[] = [];
  for (const group of groups) {
    rows.push(group);
    if (!folded.has(group.package.id)) for (const each of group.shown) rows.push(rowOf(each));
  }
  return rows;
}

/** Only downloads, because sorted lists have no groups. */
export function flatRows(groups: readonly PackageRow[]): DownloadRow[] {
  return groups.flatMap((group) => group.shown.map(rowOf));
}

function rowOf(download: Download): DownloadRow {
  return { kind: 'download', key: downloadKey(download.id), download };
}

function found(each: Package, { words, filter }: Sought): readonly Download[] {
  const wanted = words.trim().toLocaleLowerCase();
  const whole = wanted !== '' && each.name.toLocaleLowerCase().includes(wanted);
  if (!filter && (!wanted || whole)) return each.downloads;
  return each.downloads.filter(
    (download) =>
      (!filter || fits(download.status, filter)) &&
      (!wanted || whole || `${download.name} ${download.url}`.toLocaleLowerCase().includes(wanted)),
  );
}

export interface Chosen {
  /** Completely selected packages. */
  packages: Package[];
  /** Other selected downloads. */
  downloads: Download[];
  /** The total number of selected downloads. */
  count: number;
}

/** Resolve a selection; a partially shown package stands for its shown downloads only. */
export function chosenOf(selection: Selection, groups: readonly PackageRow[]): Chosen {
  const chosen: Chosen = { packages: [], downloads: [], count: 0 };
  if (selection.size === 0) return chosen;
  for (const group of groups) {
    const all = selection.has(group.key);
    const some = all
      ? group.shown
      : group.shown.filter((each) => selection.has(downloadKey(each.id)));
    chosen.count += some.length;
    if (some.length > 0 && some.length === group.package.summary.downloads)
      chosen.packages.push(group.package);
    else chosen.downloads.push(...some);
  }
  return chosen;
}

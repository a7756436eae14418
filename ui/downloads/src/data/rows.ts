import type { Selection } from '@quartet/kit';
import { fits, type Filter } from './states.ts';
import type { Download, Package } from './types.ts';

export interface PackageRow {
  kind: 'package';
  key: string;
  package: Package;
  /** Those of its downloads that fit what is looked for. */
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

/** Packages with what is shown of them; without anything to show they are left out. */
export function groupsOf(packages: readonly Package[], sought: Sought): PackageRow[] {
  return packages.flatMap((each) => {
    const shown = found(each, sought);
    const key = packageKey(each.id);
    return shown.length > 0 ? [{ kind: 'package' as const, key, package: each, shown }] : [];
  });
}

/** The groups with their downloads below them, except where a group is folded. */
export function rowsOf(groups: readonly PackageRow[], folded: ReadonlySet<number>): Row[] {
  const rows: Row[] = [];
  for (const group of groups) {
    rows.push(group);
    if (!folded.has(group.package.id)) for (const each of group.shown) rows.push(rowOf(each));
  }
  return rows;
}

/** Downloads alone: sorted lists have no groups. */
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
  /** Taken whole. */
  packages: Package[];
  /** The others, one by one. */
  downloads: Download[];
  /** How many downloads that are together. */
  count: number;
}

/** What a selection means: a group of which only a part is shown stands for that part alone. */
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

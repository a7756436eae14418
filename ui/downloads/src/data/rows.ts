import type { Selection } from '@quartet/kit';
import { sections } from './states.ts';
import type { Download, Package, Section } from './types.ts';

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
  /** The only host of its package, which is named in the row of the package. */
  packageHost?: string;
}

export type Row = PackageRow | DownloadRow;

/** Heads the packages of a section. */
export interface SectionRow {
  kind: 'section';
  key: string;
  section: Section;
  count: number;
}

export type ListRow = Row | SectionRow;

export interface Sought {
  words: string;
  filter: Section | undefined;
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
    if (folded.has(group.package.id)) continue;
    const hosts = hostsOf(group.shown);
    const packageHost = hosts.length === 1 ? hosts[0] : undefined;
    for (const each of group.shown) rows.push({ ...rowOf(each), packageHost });
  }
  return rows;
}

/** The hosts of a package, judged by the first of its downloads as there may be thousands. */
export function hostsOf(shown: readonly Download[]): string[] {
  return [...new Set(shown.slice(0, 50).map(({ host }) => host))];
}

/** The packages by section, each section below its heading. */
export function sectionRows(
  groups: readonly PackageRow[],
  folded: ReadonlySet<number>,
  closed: ReadonlySet<string>,
): ListRow[] {
  return sections.flatMap((section): ListRow[] => {
    const members = groups.filter((group) => group.package.section === section);
    if (members.length === 0) return [];
    const heading = { kind: 'section', key: section, section, count: members.length } as const;
    return [heading, ...(closed.has(section) ? [] : rowsOf(members, folded))];
  });
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
  const inSection = each.downloads.filter(({ section }) => !filter || section === filter);
  // A package can be in a section without any of its downloads, such as while its archive waits
  // for a password.
  const all = inSection.length > 0 || each.section !== filter ? inSection : each.downloads;
  return all.filter(
    (download) =>
      !wanted || whole || `${download.name} ${download.url}`.toLocaleLowerCase().includes(wanted),
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
    const some = group.shown.filter((each) => selection.has(downloadKey(each.id)));
    chosen.count += some.length;
    const { downloads, skipped } = group.package.summary;
    if (some.length > 0 && some.length === downloads + skipped) chosen.packages.push(group.package);
    else chosen.downloads.push(...some);
  }
  return chosen;
}

/** The selection with the packages whose shown downloads are all selected, and no others. */
export function withPackages(selection: Selection, groups: readonly PackageRow[]): Selection {
  const next = new Set(selection);
  for (const { key, shown } of groups) {
    if (shown.every(({ id }) => next.has(downloadKey(id)))) next.add(key);
    else next.delete(key);
  }
  return next;
}

/**
 * The selection after a change: selecting a package selects its shown downloads, and deselecting
 * one of them deselects the package.
 */
export function linked(
  before: Selection,
  after: Selection,
  groups: readonly PackageRow[],
): Selection {
  const next = new Set(after);
  for (const { key, shown } of groups) {
    if (before.has(key) === after.has(key)) continue;
    const keys = shown.map(({ id }) => downloadKey(id));
    if (after.has(key)) for (const each of keys) next.add(each);
    // Otherwise one of the downloads was clicked, which replaces the selection.
    else if (keys.every((each) => after.has(each))) for (const each of keys) next.delete(each);
  }
  return withPackages(next, groups);
}

export const isPartlySelected = (row: ListRow, selection: Selection): boolean =>
  row.kind === 'package' && row.shown.some(({ id }) => selection.has(downloadKey(id)));

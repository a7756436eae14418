import { folderOf, nameOf } from './paths.ts';

export interface FolderRow {
  path: string;
  name: string;
  depth: number;
  parent: boolean;
}

const MOST_FOUND = 100;

/** The visible folders of a tree in which some are open, top level first. */
export function treeRows(folders: readonly string[], open: ReadonlySet<string>): FolderRow[] {
  const parents = new Set(folders.map(folderOf));
  const isSeen = (path: string): boolean =>
    path === '' || (open.has(folderOf(path)) && isSeen(folderOf(path)));
  return ['', ...folders]
    .filter(isSeen)
    .map((path) =>
      rowOf(path, path ? path.split('/').length : 0, parents.has(path) && path !== ''),
    );
}

/** The folders whose path contains the words, as a flat list. */
export function foundRows(folders: readonly string[], words: string): FolderRow[] {
  const wanted = words.trim().toLocaleLowerCase();
  return folders
    .filter((path) => path.toLocaleLowerCase().includes(wanted))
    .slice(0, MOST_FOUND)
    .map((path) => ({ ...rowOf(path, 0, false), name: path }));
}

function rowOf(path: string, depth: number, parent: boolean): FolderRow {
  return { path, name: nameOf(path), depth, parent };
}

import { folderOf, isBelow } from '../data/paths.ts';

/** Selected paths; a selected folder includes its content. */
export type Chosen = ReadonlySet<string>;
/** Returns the content of a folder; undefined if not fully loaded. */
export type Inside = (folder: string) => string[] | undefined;

/** Selects or deselects a path, also inside a selected folder. */
export function chosenWith(chosen: Chosen, path: string, inside: Inside): Chosen {
  const around = [...chosen].find((one) => isBelow(path, one));
  if (around !== undefined) return withoutPart(chosen, around, path, inside);
  const next = new Set([...chosen].filter((one) => !isBelow(one, path)));
  if (next.delete(path)) return next;
  return joined(next.add(path), path, inside);
}

/** Returns everything in a selected folder except one path. */
function withoutPart(chosen: Chosen, around: string, path: string, inside: Inside): Chosen {
  const next = new Set(chosen);
  next.delete(around);
  for (let folder = folderOf(path), child = path; ; child = folder, folder = folderOf(folder)) {
    for (const one of inside(folder) ?? []) if (one !== child) next.add(one);
    if (folder === around || folder === '') return next;
  }
}

/** Replaces the content of a fully selected folder by the folder. */
function joined(chosen: Set<string>, path: string, inside: Inside): Chosen {
  const folder = folderOf(path);
  const all = inside(folder);
  if (!all || all.length < 2 || !all.every((one) => chosen.has(one))) return chosen;
  for (const one of all) chosen.delete(one);
  return joined(chosen.add(folder), folder, inside);
}

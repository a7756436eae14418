import { folderOf, isBelow } from '../data/paths.ts';

/** Paths; a chosen folder stands for all that lies in it. */
export type Chosen = ReadonlySet<string>;
/** What lies in a folder; undefined while that is not known completely. */
export type Inside = (folder: string) => string[] | undefined;

/** Chooses a path, or takes it back, also out of a folder that is chosen as a whole. */
export function chosenWith(chosen: Chosen, path: string, inside: Inside): Chosen {
  const around = [...chosen].find((one) => isBelow(path, one));
  if (around !== undefined) return withoutPart(chosen, around, path, inside);
  const next = new Set([...chosen].filter((one) => !isBelow(one, path)));
  if (next.delete(path)) return next;
  return joined(next.add(path), path, inside);
}

/** Everything of a chosen folder but one path. */
function withoutPart(chosen: Chosen, around: string, path: string, inside: Inside): Chosen {
  const next = new Set(chosen);
  next.delete(around);
  for (let folder = folderOf(path), child = path; ; child = folder, folder = folderOf(folder)) {
    for (const one of inside(folder) ?? []) if (one !== child) next.add(one);
    if (folder === around || folder === '') return next;
  }
}

/** Where everything of a folder is chosen, the folder stands for it. */
function joined(chosen: Set<string>, path: string, inside: Inside): Chosen {
  const folder = folderOf(path);
  const all = inside(folder);
  if (!all || all.length < 2 || !all.every((one) => chosen.has(one))) return chosen;
  for (const one of all) chosen.delete(one);
  return joined(chosen.add(folder), folder, inside);
}

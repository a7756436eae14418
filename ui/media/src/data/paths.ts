/** Returns the last part of a path. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Line breaks, and marks that reverse characters, so that a program looks like a video. */
const INVISIBLE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Returns a name on one line, and in the order of its characters. */
export const visible = (name: string): string => name.replace(INVISIBLE, '\ufffd');

/** Returns the parent folder; empty at the top. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** Returns true if the path is inside the folder. */
export const isBelow = (path: string, folder: string): boolean => path.startsWith(`${folder}/`);

/** Returns the part of a path below the nearest of these folders. */
export function within(path: string, folders: readonly string[]): string {
  const around = folders
    .filter((folder) => isBelow(path, folder))
    .reduce((longest, folder) => (folder.length > longest.length ? folder : longest), '');
  return around ? path.slice(around.length + 1) : path;
}

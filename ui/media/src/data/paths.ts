/** The last part of a path. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** The folder around it; the top of all is empty. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** Whether a path lies below a folder. */
export const isBelow = (path: string, folder: string): boolean => path.startsWith(`${folder}/`);

/** The part of a path below the nearest of these folders, for a shorter sight of it. */
export function within(path: string, folders: readonly string[]): string {
  const around = folders
    .filter((folder) => isBelow(path, folder))
    .reduce((longest, folder) => (folder.length > longest.length ? folder : longest), '');
  return around ? path.slice(around.length + 1) : path;
}

/** The parent folder of a path; empty for the done folder. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Whether all paths can be moved there: not into themselves, and not where they already are. */
export function canMove(paths: readonly string[], to: string): boolean {
  return paths.every((path) => !`${to}/`.startsWith(`${path}/`)) && !paths.every(isIn(to));
}

const isIn =
  (folder: string) =>
  (path: string): boolean =>
    folderOf(path) === folder;

/** The folder a path lies in; the done folder itself is empty. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Whether all of them may go there: neither into themselves nor to where they are. */
export function canMove(paths: readonly string[], to: string): boolean {
  return paths.every((path) => !`${to}/`.startsWith(`${path}/`)) && !paths.every(isIn(to));
}

const isIn =
  (folder: string) =>
  (path: string): boolean =>
    folderOf(path) === folder;

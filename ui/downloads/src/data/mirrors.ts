import type { Download } from './types.ts';

const MOST = 10;

/** Other links in the queue to the same file, judging by name and size. */
export function mirrorsOf(download: Download, all: Iterable<Download>): Download[] {
  const found: Download[] = [];
  for (const each of all) {
    if (each.id === download.id || each.name !== download.name) continue;
    if (each.size !== null && download.size !== null && each.size !== download.size) continue;
    found.push(each);
    if (found.length === MOST) break;
  }
  return found;
}

import type { Package } from './types.ts';

/** The bytes that the queue still needs, as far as sizes are known. */
export function demandOf(packages: readonly Package[]): number {
  return packages
    .filter(({ section }) => section !== 'finished' && section !== 'failed')
    .reduce((sum, { summary }) => sum + Math.max(summary.size - summary.bytesDone, 0), 0);
}

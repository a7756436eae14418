import type { Segment } from './types.ts';

/** A stretch of the bar, as shares of its width between 0 and 1. */
export interface Stretch {
  start: number;
  width: number;
  /** How much of the stretch is there. */
  filled: number;
}

/** What the segments of a file look like side by side; nothing without a known size. */
export function stretches(segments: readonly Segment[], size: number | undefined): Stretch[] {
  if (!size) return [];
  return segments.flatMap(({ from, to, done }) => {
    const length = (to ?? size) - from;
    if (length <= 0) return [];
    return [{ start: from / size, width: length / size, filled: Math.min(done / length, 1) }];
  });
}

import type { Segment } from './types.ts';

/** A section of the bar, as fractions of its width. */
export interface Stretch {
  start: number;
  width: number;
  /** The fraction that has been downloaded. */
  filled: number;
}

/** The segments of a file as sections of the bar; empty if the size is unknown. */
export function stretches(segments: readonly Segment[], size: number | undefined): Stretch[] {
  if (!size) return [];
  return segments.flatMap(({ from, to, done }) => {
    const length = (to ?? size) - from;
    if (length <= 0) return [];
    return [{ start: from / size, width: length / size, filled: Math.min(done / length, 1) }];
  });
}

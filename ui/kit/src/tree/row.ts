/** One line of a tree, in the order of the page; what lies in a closed node is not among them. */
export interface TreeRow {
  key: string;
  /** The outermost ones have level 1. */
  level: number;
  /** Undefined for what holds nothing. */
  open?: boolean;
  /** Mixed when only a part of what lies inside is chosen. */
  chosen: boolean | 'mixed';
}

/** The row around this one. */
export function parentIndex(rows: readonly TreeRow[], index: number): number {
  const level = rows[index]?.level ?? 0;
  for (let above = index - 1; above >= 0; above--)
    if ((rows[above]?.level ?? 0) < level) return above;
  return index;
}

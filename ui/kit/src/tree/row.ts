/** A visible row of a tree, in display order. */
export interface TreeRow {
  key: string;
  /** Top-level rows have level 1. */
  level: number;
  /** Undefined for leaves. */
  open?: boolean;
  /** "mixed" if only some descendants are selected. */
  chosen: boolean | 'mixed';
}

/** The parent row. */
export function parentIndex(rows: readonly TreeRow[], index: number): number {
  const level = rows[index]?.level ?? 0;
  for (let above = index - 1; above >= 0; above--)
    if ((rows[above]?.level ?? 0) < level) return above;
  return index;
}

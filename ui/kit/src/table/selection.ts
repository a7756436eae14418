export type Selection = ReadonlySet<string>;

export function toggled(selection: Selection, key: string): Selection {
  const next = new Set(selection);
  if (!next.delete(key)) next.add(key);
  return next;
}

/**
 * Returns the selected rows that are visible, so that hidden rows are never deleted by accident.
 */
export function visibleSelection(selection: Selection, shown: readonly string[]): string[] {
  return shown.filter((key) => selection.has(key));
}

/** Selects everything visible, or nothing if all of it is selected. */
export function toggledAll(selection: Selection, shown: readonly string[]): Selection {
  return shown.every((key) => selection.has(key)) ? new Set() : new Set(shown);
}

/** Adds all rows between two rows, both included. */
export function extended(
  selection: Selection,
  keys: string[],
  from: number,
  to: number,
): Selection {
  const next = new Set(selection);
  for (const key of keys.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(key);
  return next;
}

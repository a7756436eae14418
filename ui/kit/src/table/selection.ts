export type Selection = ReadonlySet<string>;

export function toggled(selection: Selection, key: string): Selection {
  const next = new Set(selection);
  if (!next.delete(key)) next.add(key);
  return next;
}

/** What is chosen and shown: a search must not leave something behind to be deleted unseen. */
export function chosenOf(selection: Selection, shown: readonly string[]): string[] {
  return shown.filter((key) => selection.has(key));
}

/** Everything that is shown, or nothing when all of it is chosen already. */
export function allToggled(selection: Selection, shown: readonly string[]): Selection {
  return shown.every((key) => selection.has(key)) ? new Set() : new Set(shown);
}

/** Everything between two rows, both included, on top of what is chosen already. */
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

export type Selection = ReadonlySet<string>;

export function toggled(selection: Selection, key: string): Selection {
  const next = new Set(selection);
  if (!next.delete(key)) next.add(key);
  return next;
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

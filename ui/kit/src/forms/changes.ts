/**
 * Returns the fields that differ from what they were. A form that stays open sends only these,
 * because another user may have changed the others meanwhile.
 */
export function changesOf<Fields extends object>(fields: Fields, before: Fields): Partial<Fields> {
  const names = Object.keys(fields) as (keyof Fields)[];
  const changed = names.filter((name) => fields[name] !== before[name]);
  return Object.fromEntries(changed.map((name) => [name, fields[name]])) as Partial<Fields>;
}

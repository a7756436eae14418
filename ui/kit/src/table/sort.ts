import { isDescending, sortKey, type Column, type Sort } from './column.ts';

/** Returns a sorted copy; digits in names compare as numbers, and the sort is stable. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: Column<Row>[],
  sort: Sort,
  locale: string,
): readonly Row[] {
  const value = columns.find((column) => column.key === sortKey(sort))?.sort;
  if (!value) return rows;
  const { compare } = new Intl.Collator(locale, { numeric: true });
  const sign = isDescending(sort) ? -1 : 1;
  const keyed = rows.map((row) => ({ row, key: value(row) }));
  keyed.sort((a, b) =>
    typeof a.key === 'number' && typeof b.key === 'number'
      ? sign * (a.key - b.key)
      : sign * compare(String(a.key), String(b.key)),
  );
  return keyed.map(({ row }) => row);
}

/** A column of a table; `text` is shown unless the page renders the cell itself. */
export interface Column<Row> {
  key: string;
  label: string;
  text: (row: Row) => string;
  /** The value to sort by; without it the column is not sortable. */
  sort?: (row: Row) => string | number;
  /** A CSS grid track. */
  width?: string;
  align?: 'start' | 'end';
  mono?: boolean;
  /** Position on narrow screens; `line` keeps the label, `bare` is a line without it. */
  narrow?: 'title' | 'side' | 'line' | 'bare' | 'hidden';
}

/** The name of the column, with a minus for descending order; used in the address. */
export type Sort = string;

export const sortKey = (sort: Sort): string => sort.replace(/^-/, '');
export const isDescending = (sort: Sort): boolean => sort.startsWith('-');

/** Returns the next order when a heading is pressed: ascending, then descending. */
export function nextSort(sort: Sort, key: string): Sort {
  return sort === key ? `-${key}` : key;
}

/** Returns the columns as a CSS grid, with checkboxes first and menus last if rows have them. */
export function tracksOf<Row>(columns: Column<Row>[], selectable: boolean, menus = false): string {
  const widths = columns.map(({ width }) => width ?? 'minmax(6rem, 1fr)');
  return [...(selectable ? ['1rem'] : []), ...widths, ...(menus ? ['1.75rem'] : [])].join(' ');
}

/** One column of a table; `text` is what is shown unless the page draws the cell itself. */
export interface Column<Row> {
  key: string;
  label: string;
  text: (row: Row) => string;
  /** What to sort by; without it the column cannot be sorted. */
  sort?: (row: Row) => string | number;
  /** A CSS grid track. */
  width?: string;
  align?: 'start' | 'end';
  mono?: boolean;
  /** Where it goes when there is no room for columns; `line` keeps its label. */
  narrow?: 'title' | 'side' | 'line' | 'hidden';
}

/** Name of the column, with a minus for descending: fits into an address. */
export type Sort = string;

export const sortKey = (sort: Sort): string => sort.replace(/^-/, '');
export const isDescending = (sort: Sort): boolean => sort.startsWith('-');

/** The next order when a heading is pressed: up, then down. */
export function nextSort(sort: Sort, key: string): Sort {
  return sort === key ? `-${key}` : key;
}

/** The columns as a CSS grid, after room for a checkbox if rows can be chosen. */
export function tracksOf<Row>(columns: Column<Row>[], selectable: boolean): string {
  const widths = columns.map(({ width }) => width ?? 'minmax(6rem, 1fr)');
  return [...(selectable ? ['1rem'] : []), ...widths].join(' ');
}

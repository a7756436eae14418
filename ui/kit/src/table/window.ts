const SPARE_ROWS = 5;

export interface Window {
  first: number;
  end: number;
}

/** Returns the rows to render: those in view and a few on both sides. */
export function windowOf(top: number, height: number, rowHeight: number, count: number): Window {
  const first = Math.max(0, Math.floor(top / rowHeight) - SPARE_ROWS);
  const end = Math.min(count, Math.ceil((top + height) / rowHeight) + SPARE_ROWS);
  return { first: Math.min(first, end), end };
}

/** Returns the row that a key moves to; undefined for other keys. */
export function moved(key: string, index: number, count: number, page: number): number | undefined {
  const target = {
    ArrowDown: index + 1,
    ArrowUp: index - 1,
    PageDown: index + page,
    PageUp: index - page,
    Home: 0,
    End: count - 1,
  }[key];
  if (target === undefined || count === 0) return undefined;
  return Math.max(0, Math.min(count - 1, target));
}

/** Returns the index of the row that contains the focus; headings do not count. */
export function focusedRow(table: HTMLElement): number | undefined {
  const row = document.activeElement?.closest('[role=row]');
  return row && table.contains(row) && row.id ? Number(row.ariaRowIndex) - 2 : undefined;
}

/** Scrolls just far enough to show a row below the headings. */
export function reveal(box: HTMLElement, index: number, rowHeight: number, head: number): void {
  const above = index * rowHeight;
  const below = above + rowHeight + head - box.clientHeight;
  if (box.scrollTop > above) box.scrollTop = above;
  else if (box.scrollTop < below) box.scrollTop = below;
}

const SPARE_ROWS = 8;

export interface Window {
  first: number;
  end: number;
}

/** The rows worth drawing: those in view and a few on both sides. */
export function windowOf(top: number, height: number, rowHeight: number, count: number): Window {
  const first = Math.max(0, Math.floor(top / rowHeight) - SPARE_ROWS);
  const end = Math.min(count, Math.ceil((top + height) / rowHeight) + SPARE_ROWS);
  return { first: Math.min(first, end), end };
}

/** Where a key moves to; undefined for keys that do not move. */
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

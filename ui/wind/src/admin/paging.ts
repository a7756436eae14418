export interface Page {
  /** Counted from one, as people do. */
  first: number;
  last: number;
  before: number | null;
  after: number | null;
}

/** Where one is in a long list, and where the neighbours begin; null where there are none. */
export function pageOf(offset: number, limit: number, total: number): Page {
  return {
    first: Math.min(offset + 1, total),
    last: Math.min(offset + limit, total),
    before: offset > 0 ? Math.max(0, offset - limit) : null,
    after: offset + limit < total ? offset + limit : null,
  };
}

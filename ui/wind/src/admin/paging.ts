export interface Page {
  /** Page number, starting at 1. */
  first: number;
  last: number;
  before: number | null;
  after: number | null;
}

/**
 * Returns the current range of a long list and the offsets of the neighbouring pages; null if there
 * are none.
 */
export function pageOf(offset: number, limit: number, total: number): Page {
  return {
    first: Math.min(offset + 1, total),
    last: Math.min(offset + limit, total),
    before: offset > 0 ? Math.max(0, offset - limit) : null,
    after: offset + limit < total ? offset + limit : null,
  };
}

import { createLoader, body, type Loader } from '@quartet/kit';
import type { InboxEntry } from '../data/types.ts';
import { api, live } from '../service.ts';

const PAGE = 500;
const EVENTS = ['inbox.added', 'item.updated', 'job.progress', 'job.removed'];

/** All items that need review. */
export const inboxEntries = (): Loader<readonly InboxEntry[]> =>
  createLoader(load, { live, reloadOn: (refresh) => EVENTS.map((type) => live.on(type, refresh)) });

async function load(): Promise<readonly InboxEntry[]> {
  const found: InboxEntry[] = [];
  let cursor: number | null = null;
  do {
    const query: { limit: number; cursor?: number } = { limit: PAGE };
    if (cursor) query.cursor = cursor;
    const page: { entries: InboxEntry[]; cursor: number | null } = await body(
      api.GET('/api/inbox', { params: { query } }),
    );
    found.push(...page.entries);
    cursor = page.cursor;
  } while (cursor);
  return found;
}

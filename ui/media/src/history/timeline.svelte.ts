import { body, Loader } from '@quartet/kit';
import type { HistoryEntry, HistoryPage } from '../data/types.ts';
import { api, live } from '../service.ts';

const PAGE = 200;
const EVENTS = ['history.changed', 'item.updated', 'job.progress'];

/** The history of file changes, page by page, kept up to date while the page is open. */
export class Timeline {
  #pages = 1;
  #filter = { q: '', includeUndone: false };
  readonly #loader = new Loader<HistoryPage>(() => this.#load(), {
    live,
    reloadOn: (refresh) => EVENTS.map((type) => live.on(type, refresh)),
  });

  get entries(): readonly HistoryEntry[] | undefined {
    return this.#loader.value?.entries;
  }

  /** The whole job of the last entry, if it has more entries. */
  get continued(): HistoryPage['continued'] {
    return this.#loader.value?.continued ?? null;
  }

  get more(): boolean {
    return (this.#loader.value?.cursor ?? null) !== null;
  }

  get error(): unknown {
    return this.#loader.error;
  }

  /** Loads the first page for a filter, and reloads on events until the returned function is called. */
  start(q: string, includeUndone: boolean): () => void {
    this.#filter = { q, includeUndone };
    this.#pages = 1;
    return this.#loader.start();
  }

  reload(): Promise<void> {
    return this.#loader.reload();
  }

  older(): Promise<void> {
    this.#pages++;
    return this.#loader.reload();
  }

  async #load(): Promise<HistoryPage> {
    const entries: HistoryEntry[] = [];
    let [cursor, continued]: [number | null, HistoryPage['continued']] = [null, null];
    for (let page = 0; page < this.#pages && (page === 0 || cursor); page++) {
      const query: { limit: number; q: string; includeUndone: boolean; cursor?: number } = {
        limit: PAGE,
        ...this.#filter,
      };
      if (cursor) query.cursor = cursor;
      const answer: HistoryPage = await body(api.GET('/api/history', { params: { query } }));
      entries.push(...answer.entries);
      ({ cursor, continued = null } = answer);
    }
    return { entries, cursor, continued };
  }
}

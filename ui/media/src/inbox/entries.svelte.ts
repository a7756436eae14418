import { body, Refresher } from '@quartet/kit';
import type { InboxEntry } from '../data/types.ts';
import { api, live } from '../service.ts';

const PAGE = 500;

/** Everything that waits for a person, kept up to date while somebody looks. */
export class InboxEntries {
  #entries = $state.raw<readonly InboxEntry[]>();
  #error = $state.raw<unknown>();
  readonly #refresher = new Refresher(() => this.#load());

  get entries(): readonly InboxEntry[] | undefined {
    return this.#entries;
  }

  get error(): unknown {
    return this.#error;
  }

  /** Keeps it up to date until the returned function is called. */
  start(): () => void {
    void this.#refresher.now();
    const events = ['inbox.added', 'item.updated', 'job.progress', 'job.removed'];
    const stops = events.map((type) => live.on(type, () => this.#refresher.ask()));
    stops.push(
      live.onReload(() => this.#refresher.ask()),
      () => this.#refresher.stop(),
    );
    return () => stops.forEach((stop) => stop());
  }

  reload(): Promise<void> {
    return this.#refresher.now();
  }

  async #load(): Promise<void> {
    try {
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
      this.#entries = found;
      this.#error = undefined;
    } catch (error) {
      this.#error = error;
    }
  }
}

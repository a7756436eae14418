import { body, Refresher } from '@quartet/kit';
import type { HistoryEntry } from '../data/types.ts';
import { api, live } from '../service.ts';

const PAGE = 200;

/** The history in pages, kept up to date while the page is open. */
export class Timeline {
  #entries = $state.raw<readonly HistoryEntry[]>();
  #cursor = $state.raw<number | null>(null);
  #error = $state.raw<unknown>();
  #pages = 1;
  #asked = { q: '', includeUndone: false };
  readonly #refresher = new Refresher(() => this.#load());

  get entries(): readonly HistoryEntry[] | undefined {
    return this.#entries;
  }

  get more(): boolean {
    return this.#cursor !== null;
  }

  get error(): unknown {
    return this.#error;
  }

  /** Keeps the history up to date until the returned function is called. */
  start(): () => void {
    const stops = [
      live.onReload(() => this.#refresher.ask()),
      live.on('history.changed', () => this.#refresher.ask()),
      live.on('item.updated', () => this.#refresher.ask()),
      live.on('job.progress', () => this.#refresher.ask()),
      () => this.#refresher.stop(),
    ];
    return () => stops.forEach((stop) => stop());
  }

  ask(q: string, includeUndone: boolean): void {
    this.#asked = { q, includeUndone };
    this.#pages = 1;
    void this.#refresher.now();
  }

  reload(): Promise<void> {
    return this.#refresher.now();
  }

  older(): Promise<void> {
    this.#pages++;
    return this.#refresher.now();
  }

  async #load(): Promise<void> {
    try {
      const found: HistoryEntry[] = [];
      let cursor: number | null = null;
      for (let page = 0; page < this.#pages && (page === 0 || cursor); page++) {
        const query: { limit: number; q: string; includeUndone: boolean; cursor?: number } = {
          limit: PAGE,
          ...this.#asked,
        };
        if (cursor) query.cursor = cursor;
        const answer: { entries: HistoryEntry[]; cursor: number | null } = await body(
          api.GET('/api/history', { params: { query } }),
        );
        found.push(...answer.entries);
        cursor = answer.cursor;
      }
      this.#entries = found;
      this.#cursor = cursor;
      this.#error = undefined;
    } catch (error) {
      this.#error = error;
    }
  }
}

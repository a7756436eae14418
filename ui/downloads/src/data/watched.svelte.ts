import { body } from '@quartet/kit';
import { api, live } from '../service.ts';
import { whenChanged } from './changed.ts';
import type { Details, ProgressEvent } from './types.ts';

/** The one download somebody looks at closely: only of this are the segments asked for. */
class Watched {
  #id = $state<number>();
  #details = $state.raw<Details>();
  #asking = false;

  get id(): number | undefined {
    return this.#id;
  }

  get details(): Details | undefined {
    return this.#details?.download.id === this.#id ? this.#details : undefined;
  }

  /** Watches this one until the returned function is called. */
  watch(id: number): () => void {
    this.#id = id;
    void this.#load(id);
    const stops = [
      live.on<ProgressEvent>('progress', ({ items }) => {
        if (items.some((item) => item.id === id)) void this.#load(id);
      }),
      whenChanged(['downloads'], () => void this.#load(id)),
      live.onReload(() => void this.#load(id)),
    ];
    return () => {
      stops.forEach((stop) => stop());
      if (this.#id === id) this.#id = undefined;
    };
  }

  async #load(id: number): Promise<void> {
    // A slow answer is not asked for again before it has come.
    if (this.#asking && this.#details?.download.id === id) return;
    this.#asking = true;
    try {
      const path = { download_id: id };
      const details = await body(api.GET('/api/downloads/{download_id}', { params: { path } }));
      if (id === this.#id) this.#details = details;
    } catch {
      // Deleted meanwhile, or the server is away: the list and the banner say so.
    } finally {
      this.#asking = false;
    }
  }
}

export const watched = new Watched();

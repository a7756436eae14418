import { body, Refresher } from '@quartet/kit';
import { api, live } from '../service.ts';
import { whenChanged } from './changed.ts';
import type { Details, ProgressEvent } from './types.ts';

/** The download shown in detail; only its segments are requested. */
class Watched {
  #id = $state<number>();
  #details = $state.raw<Details>();

  get id(): number | undefined {
    return this.#id;
  }

  get details(): Details | undefined {
    return this.#details?.download.id === this.#id ? this.#details : undefined;
  }

  /** Follow this download until the returned function is called. */
  watch(id: number): () => void {
    this.#id = id;
    const refresher = new Refresher(() => this.#load(id));
    const ask = (): void => refresher.ask();
    void refresher.now();
    const stops = [
      live.on<ProgressEvent>('progress', ({ items }) => {
        if (items.some((item) => item.id === id)) ask();
      }),
      whenChanged(['downloads'], ask),
      live.onReload(ask),
      () => refresher.stop(),
    ];
    return () => {
      stops.forEach((stop) => stop());
      if (this.#id === id) this.#id = undefined;
    };
  }

  async #load(id: number): Promise<void> {
    try {
      const path = { download_id: id };
      const details = await body(api.GET('/api/downloads/{download_id}', { params: { path } }));
      if (id === this.#id) this.#details = details;
    } catch {
      // The download was deleted or the server is unreachable; the list and the banner show that.
    }
  }
}

export const watched = new Watched();

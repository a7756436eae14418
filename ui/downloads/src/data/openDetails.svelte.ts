import { body, Loader } from '@quartet/kit';
import { untrack } from 'svelte';
import { api, live } from '../service.ts';
import { whenChanged } from './changed.ts';
import type { Details, ProgressEvent } from './types.ts';

/** The download shown in detail; only its segments are requested. */
class OpenDetails {
  #id = $state<number>();
  #loader = $state.raw<Loader<Details>>();

  get id(): number | undefined {
    return this.#id;
  }

  /** Undefined until they are loaded; errors are ignored, because the list shows them. */
  get details(): Details | undefined {
    return this.#loader?.value;
  }

  /** Follow this download until the returned function is called. */
  open(id: number): () => void {
    this.#id = id;
    const params = { path: { download_id: id } };
    const loader = new Loader(() => body(api.GET('/api/downloads/{download_id}', { params })), {
      live,
      reloadOn: (refresh) => [
        live.on<ProgressEvent>('progress', ({ items }) => {
          if (items.some((item) => item.id === id)) refresh();
        }),
        whenChanged(['downloads'], refresh),
      ],
    });
    this.#loader = loader;
    const stop = loader.start();
    return () => {
      stop();
      if (untrack(() => this.#loader) === loader) this.#id = this.#loader = undefined;
    };
  }
}

export const openDetails = new OpenDetails();

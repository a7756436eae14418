import { body, Loader } from '@quartet/kit';
import { api } from '../service.ts';
import { signedIn } from './me.svelte.ts';
import type { Favorite } from './types.ts';

/** The spots of the signed-in user, for the buttons that add one. */
class Favorites {
  readonly #loader = new Loader<{ owner: number; spots: Favorite[] } | undefined>(async () => {
    const owner = signedIn.me?.id;
    if (owner === undefined) return undefined;
    const { favorites } = await body(api.GET('/api/favorites'));
    return { owner, spots: favorites };
  });

  /** Undefined until they are loaded. */
  get list(): Favorite[] | undefined {
    const loaded = this.#loader.value;
    return loaded?.owner === signedIn.me?.id ? loaded?.spots : undefined;
  }

  load(): Promise<void> {
    return this.#loader.reload();
  }

  /** Drops the list after a change; it is loaded again when needed. */
  forget(): void {
    this.#loader.value = undefined;
    if (this.#loader.busy) void this.load();
  }
}

export const favorites = new Favorites();

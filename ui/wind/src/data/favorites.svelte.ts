import { body } from '@quartet/kit';
import { api } from '../service.ts';
import { signedIn } from './me.svelte.ts';
import type { Favorite } from './types.ts';

/** The spots of the signed-in user, for the buttons that add one. */
class Favorites {
  #list = $state.raw<{ owner: number; spots: Favorite[] }>();
  #changes = 0;

  /** Undefined until they are loaded. */
  get list(): Favorite[] | undefined {
    return this.#list?.owner === signedIn.me?.id ? this.#list?.spots : undefined;
  }

  async load(): Promise<void> {
    const owner = signedIn.me?.id;
    if (owner === undefined) return;
    const changes = this.#changes;
    const { favorites } = await body(api.GET('/api/favorites'));
    // The answer may be older than the change.
    if (changes !== this.#changes) return this.load();
    this.#list = { owner, spots: favorites };
  }

  /** Drops the list after a change; it is loaded again when needed. */
  forget(): void {
    this.#changes++;
    this.#list = undefined;
  }
}

export const favorites = new Favorites();

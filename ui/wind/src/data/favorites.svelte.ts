import { body } from '@quartet/kit';
import { api } from '../service.ts';
import { signedIn } from './me.svelte.ts';
import type { Favorite } from './types.ts';

/** The spots of whoever is signed in, for buttons that add one. */
class Favorites {
  #list = $state.raw<{ owner: number; spots: Favorite[] }>();
  #changes = 0;

  /** Undefined until they are known. */
  get list(): Favorite[] | undefined {
    return this.#list?.owner === signedIn.me?.id ? this.#list?.spots : undefined;
  }

  async load(): Promise<void> {
    const owner = signedIn.me?.id;
    if (owner === undefined) return;
    const changes = this.#changes;
    const { favorites } = await body(api.GET('/api/favorites'));
    // Of before a change: they are asked for once more.
    if (changes !== this.#changes) return this.load();
    this.#list = { owner, spots: favorites };
  }

  /** They have changed and are asked for when they are needed again. */
  forget(): void {
    this.#changes++;
    this.#list = undefined;
  }
}

export const favorites = new Favorites();

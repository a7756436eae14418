import { store, stored } from '@quartet/kit';
import type { Me } from './types.ts';

const KEY = 'wind.signed-in';
/** What the service worker keeps of a person; it has the same name there. */
const PERSONAL_CACHE = 'wind-personal';

/**
 * Who is signed in here: undefined until the server was asked, null for nobody.
 *
 * A mark in the browser says whether asking is worth it: most visitors have no account, and their
 * pages need not begin with a refusal.
 */
class SignedIn {
  #me = $state.raw<Me | null | undefined>(stored(KEY) ? undefined : null);
  #changes = 0;

  get me(): Me | null | undefined {
    return this.#me;
  }

  /** Counts who came and went: an answer to a question of before says nothing about it. */
  get changes(): number {
    return this.#changes;
  }

  enter(me: Me): void {
    this.#changes++;
    this.#me = me;
    store(KEY, '1');
  }

  /** Nothing personal stays in the browser. */
  leave(): void {
    this.#changes++;
    this.#me = null;
    store(KEY, null);
    void globalThis.caches?.delete(PERSONAL_CACHE);
  }
}

export const signedIn = new SignedIn();

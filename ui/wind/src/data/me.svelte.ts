import { store, stored } from '@quartet/kit';
import type { Me } from './types.ts';

const KEY = 'wind.signed-in';
/** The service worker's cache of personal data; the worker uses the same name. */
const PERSONAL_CACHE = 'wind-personal';

/** The signed-in user: undefined until the server has answered, null if signed out. */
class SignedIn {
  #me = $state.raw<Me | null | undefined>();
  #changes = 0;

  get me(): Me | null | undefined {
    return this.#me;
  }

  /** Counts sign-ins and sign-outs: an answer requested before one is outdated. */
  get changes(): number {
    return this.#changes;
  }

  /** Whether this browser was signed in before; browsers may clear it before the session ends. */
  get remembered(): boolean {
    return Boolean(stored(KEY));
  }

  enter(me: Me): void {
    this.#changes++;
    this.#me = me;
    store(KEY, '1');
  }

  /** Removes all personal data from the browser. */
  leave(): void {
    this.#changes++;
    this.#me = null;
    store(KEY, null);
    void globalThis.caches?.delete(PERSONAL_CACHE);
  }
}

export const signedIn = new SignedIn();

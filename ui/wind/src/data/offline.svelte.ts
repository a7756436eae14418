/** Set by the service worker on cached answers, in seconds since 1970. */
const HEADER = 'x-kept-at';

/** Whether the page shows cached answers because the server is unreachable. */
class OfflineState {
  #since = $state<number | null>(null);

  /** Time of the oldest answer on the page; null while the server answers. */
  get since(): number | null {
    return this.#since;
  }

  check(response: Response): undefined {
    const at = Number(response.headers.get(HEADER));
    if (!at) this.#since = null;
    else this.#since = Math.min(at, this.#since ?? at);
  }
}

export const offline = new OfflineState();

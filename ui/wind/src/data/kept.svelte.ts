/** The service worker writes here when it has kept an answer, in seconds since 1970. */
const HEADER = 'x-kept-at';

/** Whether what is shown comes from the last visit, since the server cannot be reached. */
class Kept {
  #since = $state<number | null>(null);

  /** When the oldest answer on the page was given; null while the server answers. */
  get since(): number | null {
    return this.#since;
  }

  see(response: Response): undefined {
    const at = Number(response.headers.get(HEADER));
    if (!at) this.#since = null;
    else this.#since = Math.min(at, this.#since ?? at);
  }
}

export const kept = new Kept();

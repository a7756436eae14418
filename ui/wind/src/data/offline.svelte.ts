import { router } from '@quartet/kit';

/** Set by the service worker on cached answers, in seconds since 1970. */
const HEADER = 'x-kept-at';
/** Answers about the visitor and the site, which no page shows as data. */
const NO_DATA = /\/api\/(me|site)$/;

/** The times of the cached answers on one page, by the address of the request without its query. */
interface KeptAnswers {
  page: string;
  times: Record<string, number>;
}

/** Whether the server is unreachable, and which cached answers the page shows. */
class OfflineState {
  #unreachable = $state(false);
  #missed = $state(false);
  #kept = $state.raw<KeptAnswers>({ page: '', times: {} });
  #returns = $state(0);

  get unreachable(): boolean {
    return this.#unreachable;
  }

  /** Whether answers were missed that are to be loaded when the server is reachable again. */
  get missed(): boolean {
    return this.#missed;
  }

  /** Time of the oldest cached answer on the page; null if it shows none. */
  get since(): number | null {
    const times = Object.values(this.#times(router.path));
    return times.length ? Math.min(...times) : null;
  }

  /** Lets the loader that calls it load again when the server is reachable again. */
  reloadOnReturn(): void {
    void this.#returns;
  }

  /** Takes note of an answer that `page` has asked for. */
  check(url: string, response: Response, page: string): void {
    const { pathname } = new URL(url);
    const at = Number(response.headers.get(HEADER));
    if (at) this.fail();
    else this.#unreachable = false;
    if (page !== router.path || NO_DATA.test(pathname)) return;
    const { [pathname]: before, ...others } = this.#times(page);
    if (at || before) this.#kept = { page, times: at ? { ...others, [pathname]: at } : others };
  }

  /** Takes note of a request without an answer. */
  fail(): void {
    this.#unreachable = this.#missed = true;
  }

  /** Loads what was missed, if the server has answered the last request. */
  catchUp(): void {
    if (this.#unreachable) return;
    this.#missed = false;
    this.#returns++;
  }

  #times(page: string): Record<string, number> {
    return this.#kept.page === page ? this.#kept.times : {};
  }
}

export const offline = new OfflineState();

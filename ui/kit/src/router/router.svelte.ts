import { base } from './base.ts';
import { inside, withQuery, type QueryChanges } from './match.ts';

/** Where the person is: the path inside the app and the query, both live. */
class Router {
  #address = $state.raw(new URL(globalThis.location?.href ?? 'http://localhost/'));

  readonly path = $derived(inside(base, this.#address.pathname) ?? '/');
  readonly query = $derived(this.#address.searchParams);

  /** The address of a path inside the app, for links. */
  href(path: string): string {
    return base + path.replace(/^\//, '');
  }

  go(path: string, { replace = false } = {}): void {
    const address = new URL(this.href(path), location.href);
    if (address.href === this.#address.href) return;
    if (replace) history.replaceState(null, '', address);
    else history.pushState(null, '', address);
    this.#address = address;
  }

  /** Keeps a choice such as sort or filter in the address, without a new step in the history. */
  setQuery(changes: QueryChanges): void {
    this.go(this.path + withQuery(this.#address.search, changes), { replace: true });
  }

  /** Follows the back button and takes over clicks on links that stay inside the app. */
  start(): void {
    addEventListener('popstate', () => (this.#address = new URL(location.href)));
    document.addEventListener('click', (event) => {
      const path = this.#pathOf(event);
      if (path === null) return;
      event.preventDefault();
      this.go(path);
    });
  }

  #pathOf(event: MouseEvent): string | null {
    const modified = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (event.defaultPrevented || event.button !== 0 || modified) return null;
    const link = (event.target as Element).closest('a');
    if (!link?.href || link.target || link.hasAttribute('download')) return null;
    const address = new URL(link.href);
    if (address.origin !== location.origin) return null;
    const path = inside(base, address.pathname);
    // The API lies under the same base but is not part of the app.
    return path === null || /^\/api(\/|$)/.test(path) ? null : path + address.search;
  }
}

export const router = new Router();

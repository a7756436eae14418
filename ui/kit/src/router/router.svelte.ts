import { base } from './base.ts';
import { inside, withQuery, type QueryChanges } from './match.ts';

/** The current location: the path inside the app and the query, both reactive. */
class Router {
  // Separate states: a change of the query must not rebuild the page, or a focused field would lose
  // the focus.
  #path = $state(pathOf(globalThis.location?.pathname ?? '/'));
  #search = $state(globalThis.location?.search ?? '');

  readonly query = $derived(new URLSearchParams(this.#search));

  get path(): string {
    return this.#path;
  }

  /** Returns the address of a path inside the app, for links. */
  href(path: string): string {
    return base + path.replace(/^\//, '');
  }

  go(path: string, { replace = false } = {}): void {
    const address = new URL(this.href(path), location.href);
    if (address.href === location.href) return;
    if (replace) history.replaceState(null, '', address);
    else history.pushState(null, '', address);
    this.#look();
  }

  /** Stores a choice such as sort or filter in the address, without a new history entry. */
  setQuery(changes: QueryChanges): void {
    // Read from the address itself, because an effect may run before the state is updated.
    const path = pathOf(location.pathname) + withQuery(location.search, changes);
    this.go(path, { replace: true });
  }

  /** Handles the back button and clicks on links inside the app. */
  start(): void {
    addEventListener('popstate', () => this.#look());
    document.addEventListener('click', (event) => {
      const path = this.#linked(event);
      if (path === null) return;
      event.preventDefault();
      this.go(path);
    });
  }

  #look(): void {
    this.#path = pathOf(location.pathname);
    this.#search = location.search;
  }

  #linked(event: MouseEvent): string | null {
    const modified = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (event.defaultPrevented || event.button !== 0 || modified) return null;
    const link = (event.target as Element).closest('a');
    if (!link?.href || link.target || link.hasAttribute('download')) return null;
    const address = new URL(link.href);
    if (address.origin !== location.origin) return null;
    const path = inside(base, address.pathname);
    // The API is below the same base but is not part of the app.
    return path === null || /^\/api(\/|$)/.test(path) ? null : path + address.search;
  }
}

function pathOf(pathname: string): string {
  return inside(base, pathname) ?? '/';
}

export const router = new Router();

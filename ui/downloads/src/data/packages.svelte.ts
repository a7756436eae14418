import { body, Loader } from '@quartet/kit';
import { api, live } from '../service.ts';
import { whenChanged } from './changed.ts';
import { isSpecific, Outdated, patched } from './patches.ts';
import { progress } from './progress.svelte.ts';
import type { Changed, Download, Package, View } from './types.ts';

/** Changes within this time are loaded together. */
const PATCH_DELAY_MS = 300;
const FIRST_PAGE = 1000;
const NEXT_PAGES = 5000;

/** All packages of the queue or the link grabber, kept up to date while they are shown. */
export class PackageList {
  readonly #loader = new Loader<readonly Package[]>((_, show) => this.#load(show), {
    live,
    reloadOn: (refresh) => [
      whenChanged(['downloads'], (change) => {
        if (isSpecific(change)) this.#loadSoon(change);
        else refresh();
      }),
    ],
  });
  #outdated = new Outdated();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** All downloads by id. */
  readonly byId = $derived.by<ReadonlyMap<number, Download>>(
    () =>
      new Map(
        (this.packages ?? []).flatMap(({ downloads }) =>
          downloads.map((each): [number, Download] => [each.id, each]),
        ),
      ),
  );

  constructor(private readonly view: View) {}

  /** Undefined until the first page has loaded. */
  get packages(): readonly Package[] | undefined {
    return this.#loader.value;
  }

  /** Why the last load failed; the last data is kept. */
  get error(): unknown {
    return this.#loader.error;
  }

  /** Keep the list up to date until the returned function is called. */
  start(): () => void {
    return this.#loader.start();
  }

  reload(): Promise<void> {
    return this.#loader.reload();
  }

  /** Load what has changed, together with what changes in the meantime. */
  #loadSoon(change: Changed): void {
    this.#outdated.add(change);
    this.#timer ??= setTimeout(() => void this.#loadOutdated(), PATCH_DELAY_MS);
  }

  async #loadOutdated(): Promise<void> {
    const outdated = this.#outdated;
    this.#outdated = new Outdated();
    this.#timer = undefined;
    try {
      const query = { view: this.view, ...outdated.query };
      const page = await body(api.GET('/api/packages', { params: { query } }));
      this.#loader.patch((list) => {
        const next = patched(list, outdated, page.packages);
        if (!next) this.#loader.refresh();
        return next ?? list;
      });
      progress.settle();
    } catch {
      this.#loader.refresh();
    }
  }

  async #load(show: (part: readonly Package[]) => void): Promise<readonly Package[]> {
    let found: Package[] = [];
    let cursor: string | null | undefined;
    do {
      const limit = cursor ? NEXT_PAGES : FIRST_PAGE;
      const query = { view: this.view, limit, ...(cursor ? { cursor } : {}) };
      const page = await body(api.GET('/api/packages', { params: { query } }));
      found = joined(found, page.packages);
      cursor = page.nextCursor;
      // On the first load, show the first page while the others are loading.
      show(found);
    } while (cursor);
    progress.settle();
    return found;
  }
}

/** Append a page; a package that continues on it has the same id. */
export function joined(before: readonly Package[], next: readonly Package[]): Package[] {
  const last = before.at(-1);
  const [first, ...rest] = next;
  if (!last || last.id !== first?.id) return [...before, ...next];
  const whole = { ...first, downloads: [...last.downloads, ...first.downloads] };
  return [...before.slice(0, -1), whole, ...rest];
}

export const queue = new PackageList('queue');
export const collector = new PackageList('collector');

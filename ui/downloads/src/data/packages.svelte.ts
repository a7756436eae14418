import { body, Refresher } from '@quartet/kit';
import { api, live } from '../service.ts';
import { whenChanged } from './changed.ts';
import { progress } from './progress.svelte.ts';
import type { Download, Package, View } from './types.ts';

const FIRST_PAGE = 1000;
const NEXT_PAGES = 5000;

/** All packages of the queue or the link grabber, kept up to date while they are shown. */
export class PackageList {
  #packages = $state.raw<readonly Package[]>();
  #error = $state.raw<unknown>();
  readonly #refresher = new Refresher(() => this.#load());

  /** All downloads by id. */
  readonly byId = $derived.by<ReadonlyMap<number, Download>>(
    () =>
      new Map(
        (this.#packages ?? []).flatMap(({ downloads }) =>
          downloads.map((each): [number, Download] => [each.id, each]),
        ),
      ),
  );

  constructor(private readonly view: View) {}

  /** Undefined until the first page has loaded. */
  get packages(): readonly Package[] | undefined {
    return this.#packages;
  }

  /** Why the last load failed; the last data is kept. */
  get error(): unknown {
    return this.#error;
  }

  /** Keep the list up to date until the returned function is called. */
  start(): () => void {
    void this.#refresher.now();
    const stops = [
      live.onReload(() => this.#refresher.ask()),
      whenChanged(['downloads'], () => this.#refresher.ask()),
      () => this.#refresher.stop(),
    ];
    return () => stops.forEach((stop) => stop());
  }

  reload(): Promise<void> {
    return this.#refresher.now();
  }

  async #load(): Promise<void> {
    try {
      let found: Package[] = [];
      let cursor: string | null | undefined;
      do {
        const limit = cursor ? NEXT_PAGES : FIRST_PAGE;
        const query = { view: this.view, limit, ...(cursor ? { cursor } : {}) };
        const page = await body(api.GET('/api/packages', { params: { query } }));
        found = joined(found, page.packages);
        cursor = page.nextCursor;
        // On the first load, show the pages as they arrive.
        if (!this.#packages?.length) this.#packages = found;
      } while (cursor);
      this.#packages = found;
      this.#error = undefined;
      progress.settle();
    } catch (error) {
      this.#error = error;
    }
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

import { body, type TreeRow, attempt } from '@quartet/kit';
import { folderOf, isBelow } from '../data/paths.ts';
import type { BrowseEntry } from '../data/types.ts';
import { api } from '../service.ts';
import { chosenWith, type Chosen } from './selection.ts';

export interface FileRow extends TreeRow {
  entry: BrowseEntry;
  label: string;
  /** Placeholder for the rest of a long folder; a click loads it. */
  more?: string;
}

interface Listing {
  entries: readonly BrowseEntry[];
  cursor: string | null;
}

const TOP = '';

/** The configured folders, the opened folders in them and the selection. */
export class FileTree {
  #listings = $state.raw<ReadonlyMap<string, Listing>>(new Map());
  #open = $state.raw<ReadonlySet<string>>(new Set());
  chosen = $state.raw<Chosen>(new Set());
  /** The latest request per folder; responses to earlier requests are ignored. */
  readonly #asked = new Map<string, object>();

  readonly rows = $derived.by<FileRow[]>(() => [...this.#rowsIn(TOP, 1, false)]);

  /** Whether the top level is loaded, and whether it has entries. */
  get loaded(): boolean {
    return this.#listings.has(TOP);
  }

  start(): void {
    void this.#load(TOP);
  }

  async fold(row: FileRow): Promise<void> {
    if (row.more !== undefined) return this.#load(folderOf(row.key), row.more);
    const { path } = row.entry;
    const open = new Set(this.#open);
    if (open.delete(path)) return void (this.#open = open);
    await this.#load(path);
    this.#unfold(path);
  }

  choose(row: FileRow): void {
    if (row.more !== undefined) return void this.fold(row);
    this.chosen = chosenWith(this.chosen, row.entry.path, (folder) => this.#all(folder));
  }

  /** Reloads the open folders after files were moved. */
  async reload(): Promise<void> {
    await Promise.all([TOP, ...this.#open].map((path) => this.#load(path)));
  }

  /** Returns everything in a folder; undefined if not fully loaded. */
  #all(folder: string): string[] | undefined {
    const listing = this.#listings.get(folder);
    return listing?.cursor === null ? listing.entries.map(({ path }) => path) : undefined;
  }

  *#rowsIn(folder: string, level: number, covered: boolean): Generator<FileRow> {
    const listing = this.#listings.get(folder);
    for (const entry of listing?.entries ?? []) {
      const { path, name } = entry;
      const whole = covered || this.chosen.has(path);
      const open = entry.kind === 'dir' ? this.#open.has(path) : undefined;
      const part =
        open !== undefined && !whole && [...this.chosen].some((one) => isBelow(one, path));
      yield { key: path, label: name, level, open, chosen: whole || (part && 'mixed'), entry };
      if (open) yield* this.#rowsIn(path, level + 1, whole);
    }
    const last = listing?.entries.at(-1);
    if (listing?.cursor && last)
      yield {
        key: `${folder}/`,
        label: '…',
        level,
        chosen: false,
        entry: last,
        more: listing.cursor,
      };
  }

  async #load(path: string, cursor?: string): Promise<void> {
    await attempt(async () => {
      const query = { path, limit: 2000, ...(cursor ? { cursor } : {}) };
      this.#asked.set(path, query);
      const page = await body(api.GET('/api/browse', { params: { query } }));
      if (this.#asked.get(path) !== query) return;
      const before = cursor ? (this.#listings.get(path)?.entries ?? []) : [];
      const listing = { entries: [...before, ...page.entries], cursor: page.cursor };
      this.#listings = new Map(this.#listings).set(path, listing);
      // Open a single folder automatically.
      const only = page.entries[0];
      if (path === TOP && page.entries.length === 1 && only && !this.#open.has(only.path)) {
        await this.#load(only.path);
        this.#unfold(only.path);
      }
    });
  }

  #unfold(path: string): void {
    this.#open = new Set(this.#open).add(path);
  }
}

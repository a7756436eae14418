import { body, Refresher, attempt } from '@quartet/kit';

/** A list, newest first, that refreshes at the top and loads older items on demand. */
export class Feed<Item> {
  #items = $state.raw<readonly Item[]>();
  #error = $state.raw<unknown>();
  #complete = $state(false);
  #busy = $state(false);
  readonly #refresher = new Refresher(() => this.#refresh());

  constructor(
    private readonly page: (before: number | undefined) => Promise<{ data?: Item[] }>,
    private readonly idOf: (item: Item) => number,
    private readonly size: number,
  ) {}

  get items(): readonly Item[] | undefined {
    return this.#items;
  }

  get error(): unknown {
    return this.#error;
  }

  /** True if there are no older items. */
  get complete(): boolean {
    return this.#complete;
  }

  get busy(): boolean {
    return this.#busy;
  }

  refresh(): Promise<void> {
    return this.#refresher.now();
  }

  stop(): void {
    this.#refresher.stop();
  }

  async more(): Promise<void> {
    const last = this.#items?.at(-1);
    if (this.#busy || !last) return;
    this.#busy = true;
    await attempt(async () => {
      const older = await body(this.page(this.idOf(last)));
      // The list was reloaded in the meantime, so these older items no longer fit.
      const now = this.#items?.at(-1);
      if (!now || this.idOf(now) !== this.idOf(last)) return;
      this.#items = [...(this.#items ?? []), ...older];
      this.#complete = older.length < this.size;
    });
    this.#busy = false;
  }

  async #refresh(): Promise<void> {
    try {
      const newest = await body(this.page(undefined));
      const older = this.#olderThan(newest.at(-1));
      if (older.length === 0) this.#complete = newest.length < this.size;
      this.#items = [...newest, ...older];
      this.#error = undefined;
    } catch (error) {
      this.#error = error;
    }
  }

  /** Known items older than the new page; none if there may be a gap between them. */
  #olderThan(oldest: Item | undefined): readonly Item[] {
    const known = this.#items ?? [];
    const [first] = known;
    if (!oldest || !first || this.idOf(first) < this.idOf(oldest)) return [];
    return known.filter((item) => this.idOf(item) < this.idOf(oldest));
  }
}

import { attempt, body, Loader } from '@quartet/kit';

interface FeedState<Item> {
  items: readonly Item[];
  /** Nothing older is left. */
  complete: boolean;
}

/** A list with the newest items first: new ones appear at the top, older ones on request below. */
export class Feed<Item> {
  #busy = $state(false);
  readonly #loader = new Loader<FeedState<Item>>(() => this.#load());

  constructor(
    private readonly page: (before: number | undefined) => Promise<{ data?: Item[] }>,
    private readonly idOf: (item: Item) => number,
    private readonly size: number,
  ) {}

  get items(): readonly Item[] | undefined {
    return this.#loader.value?.items;
  }

  get error(): unknown {
    return this.#loader.error;
  }

  get complete(): boolean {
    return this.#loader.value?.complete ?? false;
  }

  /** Whether older items are being loaded. */
  get busy(): boolean {
    return this.#busy;
  }

  refresh(): Promise<void> {
    return this.#loader.reload();
  }

  async more(): Promise<void> {
    const last = this.items?.at(-1);
    if (this.#busy || !last) return;
    this.#busy = true;
    await attempt(async () => {
      const older = await body(this.page(this.idOf(last)));
      this.#loader.patch(({ items, complete }) => {
        // A refresh may have replaced the list, so that these items no longer follow its last one.
        const end = items.at(-1);
        if (!end || this.idOf(end) !== this.idOf(last)) return { items, complete };
        return { items: [...items, ...older], complete: older.length < this.size };
      });
    });
    this.#busy = false;
  }

  async #load(): Promise<FeedState<Item>> {
    const newest = await body(this.page(undefined));
    const older = this.#olderThan(newest.at(-1));
    return {
      items: [...newest, ...older],
      complete: older.length === 0 ? newest.length < this.size : this.complete,
    };
  }

  /** Returns the known items below a page; none if items may be missing in between. */
  #olderThan(oldest: Item | undefined): readonly Item[] {
    const known = this.items ?? [];
    const [first] = known;
    if (!oldest || !first || this.idOf(first) < this.idOf(oldest)) return [];
    return known.filter((item) => this.idOf(item) < this.idOf(oldest));
  }
}

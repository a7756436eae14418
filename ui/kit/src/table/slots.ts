/**
 * Which drawn row shows which row of the list. While a list is scrolled, the rows that leave make
 * room for those that come: changing what a row shows costs a fraction of drawing it anew.
 */
export class Slots {
  #list: unknown;
  #slots = new Map<string, number>();
  #next = 0;

  /** The slot of each key, in order; a row that stays in view keeps its own. */
  assign(keys: readonly string[], list: unknown): number[] {
    const shown = new Set(keys);
    // A row that is gone from the list takes its focus along: only scrolling hands slots on.
    const free =
      list === this.#list
        ? [...this.#slots].flatMap(([key, slot]) => (shown.has(key) ? [] : [slot]))
        : [];
    this.#list = list;
    // In their order, so that few rows change places.
    const take = (): number => free.shift() ?? this.#next++;
    this.#slots = new Map(
      keys.map((key): [string, number] => [key, this.#slots.get(key) ?? take()]),
    );
    return [...this.#slots.values()];
  }
}

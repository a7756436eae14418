/**
 * Assigns rows to reusable DOM slots. While scrolling, rows that enter the view take the slots of
 * rows that leave it: updating a slot costs a fraction of creating one.
 */
export class Slots {
  #list: unknown;
  #slots = new Map<string, number>();
  #next = 0;

  /** Returns the slot of each key in order; a row that stays in view keeps its slot. */
  assign(keys: readonly string[], list: unknown): number[] {
    const shown = new Set(keys);
    // A removed row must not pass its focus on: slots are only reused by scrolling.
    const free =
      list === this.#list
        ? [...this.#slots].flatMap(([key, slot]) => (shown.has(key) ? [] : [slot]))
        : [];
    this.#list = list;
    // In order, so that few rows move in the DOM.
    const take = (): number => free.shift() ?? this.#next++;
    this.#slots = new Map(
      keys.map((key): [string, number] => [key, this.#slots.get(key) ?? take()]),
    );
    return [...this.#slots.values()];
  }
}

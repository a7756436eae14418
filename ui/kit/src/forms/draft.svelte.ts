/** Edited values next to the values saved on the server. */
export class Draft<Values> {
  values: Values;
  #before: string;
  readonly #known: () => Values;

  readonly changed = $derived.by(() => JSON.stringify(this.values) !== this.#before);

  /**
   * Create it during component initialisation; `known` returns the saved values as the fields hold
   * them.
   */
  constructor(known: () => Values) {
    this.#known = known;
    this.values = $state(known());
    this.#before = $state.raw(JSON.stringify(known()));
    // Another browser may save as well; that must not overwrite what is being edited here.
    $effect(() => {
      const values = known();
      if (!this.changed) this.values = values;
      this.#before = JSON.stringify(values);
    });
  }

  /** Resets the fields to the saved values. */
  reset(): void {
    this.values = this.#known();
  }
}

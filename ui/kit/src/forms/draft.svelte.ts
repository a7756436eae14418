/** What is being typed, beside what the server knows. */
export class Draft<Values> {
  values: Values;
  #before: string;
  readonly #known: () => Values;

  readonly changed = $derived.by(() => JSON.stringify(this.values) !== this.#before);

  /** Create it while a component starts; `known` is what the server has, as the fields hold it. */
  constructor(known: () => Values) {
    this.#known = known;
    this.values = $state(known());
    this.#before = $state.raw(JSON.stringify(known()));
    // Somebody else may save, too; what is being typed here is not thrown away for it.
    $effect(() => {
      const values = known();
      if (!this.changed) this.values = values;
      this.#before = JSON.stringify(values);
    });
  }

  /** Back to what the server knows. */
  reset(): void {
    this.values = this.#known();
  }
}

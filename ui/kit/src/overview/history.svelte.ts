/** The last values of a figure, for a sparkline. */
export class History {
  #values = $state.raw<number[]>([]);
  readonly #room: number;

  constructor(room: number) {
    this.#room = room;
  }

  get values(): number[] {
    return this.#values;
  }

  add(value: number): void {
    this.#values = [...this.#values, value].slice(-this.#room);
  }
}

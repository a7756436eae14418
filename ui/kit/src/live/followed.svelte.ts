import { Refresher } from './refresher.ts';

/** Data of the server that several places show, kept up to date while somebody looks. */
export class Followed<T> {
  #value = $state.raw<T>();
  #error = $state.raw<unknown>();
  readonly #refresher: Refresher;

  /** `listen` has it loaded again on what it hears, and gives back what ends the listening. */
  constructor(
    load: () => Promise<T>,
    private readonly listen: (ask: () => void) => (() => void)[],
  ) {
    this.#refresher = new Refresher(async () => {
      try {
        this.#value = await load();
        this.#error = undefined;
      } catch (error) {
        this.#error = error;
      }
    });
  }

  /** Undefined until it has arrived. */
  get value(): T | undefined {
    return this.#value;
  }

  set value(value: T | undefined) {
    this.#value = value;
  }

  /** Why the last load failed; the last data stay beside it. */
  get error(): unknown {
    return this.#error;
  }

  /** Keeps it up to date until the returned function is called. */
  start(): () => void {
    void this.#refresher.now();
    const stops = this.listen(() => this.#refresher.ask());
    return () => {
      stops.forEach((stop) => stop());
      this.#refresher.stop();
    };
  }

  reload(): Promise<void> {
    return this.#refresher.now();
  }
}

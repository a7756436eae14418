import type { Live } from './live.svelte.ts';

/** Data of the server that is loaded with the page and again whenever events were missed. */
export class Resource<T> {
  #value = $state.raw<T | undefined>();
  #error = $state.raw<unknown>();
  #latest = 0;

  /** Create it while a component starts; it stops with the component. */
  constructor(
    private readonly load: () => Promise<T>,
    live?: Live,
  ) {
    $effect(() => {
      void this.reload();
      return live?.onReload(() => void this.reload());
    });
  }

  get value(): T | undefined {
    return this.#value;
  }

  /** Events put newer data in place without asking the server again. */
  set value(value: T | undefined) {
    this.#latest++;
    this.#value = value;
    this.#error = undefined;
  }

  /** The failure of the last load; the last data stay beside it. */
  get error(): unknown {
    return this.#error;
  }

  async reload(): Promise<void> {
    const turn = ++this.#latest;
    try {
      const value = await this.load();
      if (turn === this.#latest) this.value = value;
    } catch (error) {
      if (turn === this.#latest) this.#error = error;
    }
  }
}

const SHORTEST_MS = 250;
/** It rests so many times as long as it loaded: a long list costs a fifth of the time at most. */
const REST = 4;

/** Loads again when asked, one load at a time; many wishes at once become one. */
export class Refresher {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running = false;
  #again = false;
  #tookMs = 0;

  constructor(private readonly load: () => Promise<void>) {}

  /** Soon: what comes in a row is waited for, and a load that took long is not repeated at once. */
  ask(): void {
    if (this.#running) this.#again = true;
    else this.#timer ??= setTimeout(() => void this.now(), this.#pause);
  }

  async now(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#running) return void (this.#again = true);
    this.#running = true;
    const began = performance.now();
    try {
      await this.load();
    } finally {
      this.#tookMs = performance.now() - began;
      this.#running = false;
      if (this.#again) {
        this.#again = false;
        this.ask();
      }
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#again = false;
  }

  get #pause(): number {
    return Math.max(SHORTEST_MS, REST * this.#tookMs);
  }
}

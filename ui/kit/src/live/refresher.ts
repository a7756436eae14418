const SHORTEST_MS = 250;
/** It rests so many times as long as it loaded: a long list costs a fifth of the time at most. */
const REST = 4;

/** Loads again when asked, one load at a time; many wishes at once become one. */
export class Refresher {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: Promise<void> | undefined;
  #again = false;
  #atOnce = false;
  #tookMs = 0;

  constructor(private readonly load: () => Promise<void>) {}

  /** Soon: what comes in a row is waited for, and a load that took long is not repeated at once. */
  ask(): void {
    if (this.#running) this.#again = true;
    else this.#timer ??= setTimeout(() => void this.now(), this.#pause);
  }

  /** Ends with data that were asked for after the call: a load under way may be too old. */
  now(): Promise<void> {
    this.#forget();
    if (this.#running) this.#atOnce = true;
    return (this.#running ??= this.#run());
  }

  stop(): void {
    this.#forget();
    this.#again = this.#atOnce = false;
  }

  async #run(): Promise<void> {
    try {
      do {
        this.#again = this.#atOnce = false;
        const began = performance.now();
        await this.load();
        this.#tookMs = performance.now() - began;
      } while (this.#atOnce);
    } finally {
      this.#running = undefined;
      if (this.#again) this.ask();
    }
  }

  #forget(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  get #pause(): number {
    return Math.max(SHORTEST_MS, REST * this.#tookMs);
  }
}

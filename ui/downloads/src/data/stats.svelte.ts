import { body, Refresher } from '@quartet/kit';
import { api, live } from '../service.ts';
import type { Changed, Stats } from './types.ts';

const EVERY_MS = 30_000;

/** The figures over everything, for the summary and the navigation. */
class Figures {
  #value = $state.raw<Stats>();
  readonly #refresher = new Refresher(() => this.#load());

  get value(): Stats | undefined {
    return this.#value;
  }

  /** Keeps them up to date until the returned function is called. */
  start(): () => void {
    void this.#refresher.now();
    const ask = (): void => this.#refresher.ask();
    const stop = live.on<Changed>('changed', ask);
    const stopReload = live.onReload(ask);
    // Nobody tells when other programs fill the disk or the time of day changes the limit.
    const timer = setInterval(ask, EVERY_MS);
    return () => {
      stop();
      stopReload();
      clearInterval(timer);
      this.#refresher.stop();
    };
  }

  async #load(): Promise<void> {
    try {
      this.#value = await body(api.GET('/api/stats'));
    } catch {
      // The banner of the shell says that the server is away; the last figures stay.
    }
  }
}

export const stats = new Figures();

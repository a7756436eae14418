import { body, Refresher } from '@quartet/kit';
import { api, live } from '../service.ts';
import type { Dashboard } from './types.ts';

/** What is going on, for the first page, the badge of the inbox and the line on top. */
class Going {
  #value = $state.raw<Dashboard>();
  #error = $state.raw<unknown>();
  readonly #refresher = new Refresher(() => this.#load());

  get value(): Dashboard | undefined {
    return this.#value;
  }

  get error(): unknown {
    return this.#error;
  }

  /** Keeps it up to date until the returned function is called. */
  start(): () => void {
    void this.#refresher.now();
    const events = ['job.progress', 'job.removed', 'inbox.added', 'item.updated'];
    const more = ['history.changed', 'watch.changed', 'folders.changed'];
    const stops = [...events, ...more].map((type) => live.on(type, () => this.#refresher.ask()));
    stops.push(
      live.onReload(() => this.#refresher.ask()),
      () => this.#refresher.stop(),
    );
    return () => stops.forEach((stop) => stop());
  }

  reload(): Promise<void> {
    return this.#refresher.now();
  }

  async #load(): Promise<void> {
    try {
      this.#value = await body(api.GET('/api/dashboard'));
      this.#error = undefined;
    } catch (error) {
      this.#error = error;
    }
  }
}

export const going = new Going();

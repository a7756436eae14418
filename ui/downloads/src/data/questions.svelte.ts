import { body, Refresher } from '@quartet/kit';
import { api, live } from '../service.ts';
import { whenChanged } from './changed.ts';
import type { Question } from './types.ts';

/** Captchas and questions that wait for somebody, the oldest first. */
class Questions {
  #list = $state.raw<readonly Question[]>([]);
  #error = $state.raw<unknown>();
  #loaded = $state(false);
  readonly #refresher = new Refresher(() => this.#load());

  /** Of the downloads that wait for an answer. */
  readonly links = $derived<ReadonlySet<string | null | undefined>>(
    new Set(this.#list.map(({ link }) => link)),
  );

  get list(): readonly Question[] {
    return this.#list;
  }

  get loaded(): boolean {
    return this.#loaded;
  }

  /** Why the last load failed; the last questions stay beside it. */
  get error(): unknown {
    return this.#error;
  }

  /** Keeps them up to date until the returned function is called. */
  start(): () => void {
    void this.#refresher.now();
    const stops = [
      whenChanged(['captchas'], () => this.#refresher.ask()),
      live.onReload(() => this.#refresher.ask()),
      () => this.#refresher.stop(),
    ];
    return () => stops.forEach((stop) => stop());
  }

  reload(): Promise<void> {
    return this.#refresher.now();
  }

  /** An answered one gives way to the next at once. */
  drop(id: string): void {
    this.#list = this.#list.filter((question) => question.id !== id);
  }

  async #load(): Promise<void> {
    try {
      this.#list = await body(api.GET('/api/captchas'));
      this.#error = undefined;
      this.#loaded = true;
    } catch (error) {
      this.#error = error;
    }
  }
}

export const questions = new Questions();

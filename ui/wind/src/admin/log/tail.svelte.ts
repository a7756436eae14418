import { body, Live, serverEvents } from '@quartet/kit';
import { api } from '../../service.ts';
import type { LogLine } from '../types.ts';
import { fits, merged, type Level } from './lines.ts';

const PAGE = 100;
/** The server keeps two thousand lines; an open page must not keep more. */
const MOST = 2000;

/** The live log, with older lines on request. */
export class Tail {
  #lines = $state.raw<LogLine[]>([]);
  #held = $state.raw<LogLine[]>([]);
  #older = $state(false);
  #error = $state.raw<unknown>();
  #loaded = $state(false);
  #paused = $state(false);
  #turn = 0;
  /** Lines that arrived during a load, because the answer may be older than they are. */
  #meanwhile: LogLine[] | undefined;
  readonly live = new Live(serverEvents('api/admin/log'));

  /** Create it during component initialisation; it stops with the component. */
  constructor(
    private readonly level: () => Level,
    private readonly text: () => string,
  ) {
    $effect(() => {
      void this.level();
      void this.text();
      void this.reload();
    });
    $effect(() => {
      const ends = [
        this.live.on<LogLine>('line', (line) => this.#hear(line)),
        this.live.onReload(() => void this.reload()),
        () => this.live.stop(),
      ];
      this.live.start();
      return () => ends.forEach((end) => end());
    });
  }

  get lines(): LogLine[] {
    return this.#lines;
  }

  get loaded(): boolean {
    return this.#loaded;
  }

  get error(): unknown {
    return this.#error;
  }

  /** Whether there are older matching lines. */
  get older(): boolean {
    return this.#older;
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** Number of lines since the pause. */
  get waiting(): number {
    return this.#held.length;
  }

  pause(): void {
    this.#paused = true;
  }

  goOn(): void {
    this.#paused = false;
    this.#lines = merged(this.#lines, this.#held, MOST);
    this.#held = [];
  }

  async reload(): Promise<void> {
    const turn = ++this.#turn;
    const meanwhile: LogLine[] = [];
    this.#meanwhile = meanwhile;
    try {
      const { lines, more } = await this.#ask(undefined);
      if (turn !== this.#turn) return;
      // Ids restart with the server, so earlier lines are dropped.
      this.#lines = merged(lines, meanwhile, MOST);
      this.#held = [];
      this.#older = more;
      this.#error = undefined;
    } catch (error) {
      if (turn !== this.#turn) return;
      this.#error = error;
    }
    this.#meanwhile = undefined;
    this.#loaded = true;
  }

  async further(): Promise<void> {
    const turn = this.#turn;
    const { lines, more } = await this.#ask(this.#lines.at(-1)?.id);
    // The filter has changed since the request.
    if (turn !== this.#turn) return;
    this.#lines = merged(this.#lines, lines, MOST);
    this.#older = more;
  }

  #hear(line: LogLine): void {
    if (!fits(line, this.level(), this.text())) return;
    this.#meanwhile?.push(line);
    if (this.#paused) this.#held = [...this.#held, line].slice(-MOST);
    else this.#lines = merged(this.#lines, [line], MOST);
  }

  #ask(before: number | undefined): Promise<{ lines: LogLine[]; more: boolean }> {
    const query = { level: this.level(), q: this.text(), before, limit: PAGE };
    return body(api.GET('/api/admin/log/lines', { params: { query } }));
  }
}

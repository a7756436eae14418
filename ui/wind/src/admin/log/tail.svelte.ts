import { body, Live, Loader, serverEvents } from '@quartet/kit';
import { api } from '../../service.ts';
import type { LogLine } from '../types.ts';
import { fits, merged, type Level } from './lines.ts';

const PAGE = 100;
/** The server keeps two thousand lines; an open page must not keep more. */
const MOST = 2000;

interface LogPage {
  lines: LogLine[];
  more: boolean;
}

/** The live log, with older lines on request. */
export class Tail {
  #held = $state.raw<LogLine[]>([]);
  #paused = $state(false);
  readonly live = new Live(serverEvents('api/admin/log'));
  readonly #loader: Loader<LogPage, { level: Level; text: string }>;

  /** Create it during component initialisation; it stops with the component. */
  constructor(
    private readonly level: () => Level,
    private readonly text: () => string,
  ) {
    this.#loader = new Loader(
      async () => {
        const page = await this.#request(undefined);
        this.#held = [];
        return page;
      },
      { input: () => ({ level: this.level(), text: this.text() }), live: this.live },
    );
    $effect(() => this.#loader.start());
    $effect(() => {
      const stop = this.live.on<LogLine>('line', (line) => this.#add(line));
      this.live.start();
      return () => {
        stop();
        this.live.stop();
      };
    });
  }

  get lines(): LogLine[] {
    return this.#loader.value?.lines ?? [];
  }

  get loaded(): boolean {
    return this.#loader.value !== undefined || this.error !== undefined;
  }

  get error(): unknown {
    return this.#loader.error;
  }

  /** Whether there are older matching lines. */
  get older(): boolean {
    return this.#loader.value?.more ?? false;
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

  resume(): void {
    this.#paused = false;
    this.#merge(this.#held);
    this.#held = [];
  }

  reload(): Promise<void> {
    return this.#loader.reload();
  }

  async loadOlder(): Promise<void> {
    const last = this.lines.at(-1)?.id;
    const { lines, more } = await this.#request(last);
    this.#loader.patch((page) =>
      // Otherwise the filter has changed since the request.
      page.lines.at(-1)?.id === last ? { lines: merged(page.lines, lines, MOST), more } : page,
    );
  }

  #add(line: LogLine): void {
    if (!fits(line, this.level(), this.text())) return;
    if (this.#paused && !this.#loader.busy) this.#held = [...this.#held, line].slice(-MOST);
    else this.#merge([line]);
  }

  #merge(lines: LogLine[]): void {
    this.#loader.patch((page) => ({ ...page, lines: merged(page.lines, lines, MOST) }));
  }

  #request(before: number | undefined): Promise<LogPage> {
    const query = { level: this.level(), q: this.text(), before, limit: PAGE };
    return body(api.GET('/api/admin/log/lines', { params: { query } }));
  }
}

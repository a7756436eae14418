import { body, Refresher } from '@quartet/kit';
import { api, live } from '../service.ts';
import type {
  ItemPage,
  ItemsChange,
  ItemsUpdated,
  Job,
  JobConfig,
  JobItem,
  JobProgress,
} from './types.ts';

/** The first rows are loaded immediately, the rest in pages. */
const FIRST_PAGE = 200;
const PAGE = 2500;
/** Jobs with more files than this are not reloaded on every change, but at the next status. */
const MANY = 1000;
const BUSY = new Set<Job['status']>(['pending', 'scanning', 'matching', 'queued', 'executing']);

export const isBusy = (status: Job['status'] | undefined): boolean =>
  status !== undefined && BUSY.has(status);

/** A job and all its files, kept up to date while the page is open. */
export class OpenJob {
  #job = $state.raw<Job>();
  #items = $state.raw<readonly JobItem[]>();
  #isWhole = $state(false);
  #error = $state.raw<unknown>();
  readonly #refresher = new Refresher(() => this.#load());
  readonly #params: { path: { job_id: number } };

  readonly busy = $derived(isBusy(this.#job?.status));
  /** How many files are executed next. The server knows this before all files are loaded. */
  readonly ready = $derived(
    this.#isWhole
      ? (this.#items ?? []).filter(({ state, excluded }) => state === 'ready' && !excluded).length
      : (this.#job?.items.ready ?? 0),
  );

  constructor(readonly id: number) {
    this.#params = { path: { job_id: id } };
  }

  /** Undefined until loaded. */
  get job(): Job | undefined {
    return this.#job;
  }

  get items(): readonly JobItem[] | undefined {
    return this.#items;
  }

  get error(): unknown {
    return this.#error;
  }

  /** Keeps the job up to date until the returned function is called. */
  start(): () => void {
    void this.#refresher.now();
    const stops = [
      live.onReload(() => this.#refresher.ask()),
      live.on<JobProgress>('job.progress', (event) => this.#progressed(event)),
      live.on<ItemsUpdated>(
        'item.updated',
        ({ jobId }) => jobId === this.id && !this.#isTooMuch && this.#refresher.ask(),
      ),
      live.on('history.changed', () => this.#refresher.ask()),
      () => this.#refresher.stop(),
    ];
    return () => stops.forEach((stop) => stop());
  }

  get #isTooMuch(): boolean {
    return this.busy && (this.#items?.length ?? 0) > MANY;
  }

  reload(): Promise<void> {
    return this.#refresher.now();
  }

  async change(change: Omit<ItemsChange, 'remember'> & { remember?: boolean }): Promise<void> {
    const given = { remember: false, ...change };
    const changed = await body(
      api.PATCH('/api/jobs/{job_id}/items', { params: this.#params, body: given }),
    );
    const byId = new Map(changed.map((item) => [item.id, item]));
    this.#items = this.#items?.map((item) => byId.get(item.id) ?? item);
  }

  async preview(config: JobConfig, rematch = false): Promise<void> {
    const given = { ...config, rematch };
    this.#job = await body(
      api.POST('/api/jobs/{job_id}/preview', { params: this.#params, body: given }),
    );
    this.#refresher.ask();
  }

  async execute(): Promise<void> {
    this.#job = await body(
      api.POST('/api/jobs/{job_id}/execute', { params: this.#params, body: {} }),
    );
    this.#refresher.ask();
  }

  async cancel(): Promise<void> {
    this.#job = await body(api.POST('/api/jobs/{job_id}/cancel', { params: this.#params }));
    this.#refresher.ask();
  }

  async undo() {
    const undone = await body(api.POST('/api/jobs/{job_id}/undo', { params: this.#params }));
    this.#refresher.ask();
    return undone;
  }

  #progressed({ jobId, status, done, total }: JobProgress): void {
    if (jobId !== this.id) return;
    if (status !== this.#job?.status) this.#refresher.ask();
    if (this.#job) this.#job = { ...this.#job, status, progress: { done, total } };
  }

  async #load(): Promise<void> {
    try {
      const params = this.#params;
      const job = await body(api.GET('/api/jobs/{job_id}', { params }));
      const first = await this.#page(FIRST_PAGE);
      this.#job = job;
      this.#items ??= first.items;
      const items = [...first.items];
      for (let cursor = first.cursor; cursor;) {
        const page = await this.#page(PAGE, cursor);
        items.push(...page.items);
        cursor = page.cursor;
      }
      this.#items = items;
      this.#isWhole = true;
      this.#error = undefined;
    } catch (error) {
      this.#error = error;
    }
  }

  #page(limit: number, cursor?: number): Promise<ItemPage> {
    const params = { ...this.#params, query: { limit, ...(cursor ? { cursor } : {}) } };
    return body(api.GET('/api/jobs/{job_id}/items', { params }));
  }
}

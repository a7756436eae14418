import { body, Loader } from '@quartet/kit';
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

interface LoadedJob {
  job: Job;
  items: readonly JobItem[];
  /** False while only the first page of items is there. */
  isWhole: boolean;
}

/** A job and all its files, kept up to date while the page is open. */
export class OpenJob {
  readonly #loader = new Loader<LoadedJob>((_, show) => this.#load(show), {
    live,
    reloadOn: (refresh) => [
      live.on<JobProgress>('job.progress', (event) => this.#progressed(event)),
      live.on<ItemsUpdated>(
        'item.updated',
        ({ jobId }) => jobId === this.id && !this.#isTooMuch && refresh(),
      ),
      live.on('history.changed', refresh),
    ],
  });
  readonly #params: { path: { job_id: number } };

  readonly busy = $derived(isBusy(this.job?.status));
  /** How many files are executed next. The server knows this before all files are loaded. */
  readonly ready = $derived(
    this.#loader.value?.isWhole
      ? (this.items ?? []).filter(({ state, excluded }) => state === 'ready' && !excluded).length
      : (this.job?.items.ready ?? 0),
  );

  constructor(readonly id: number) {
    this.#params = { path: { job_id: id } };
  }

  /** Undefined until loaded. */
  get job(): Job | undefined {
    return this.#loader.value?.job;
  }

  get items(): readonly JobItem[] | undefined {
    return this.#loader.value?.items;
  }

  get error(): unknown {
    return this.#loader.error;
  }

  /** Keeps the job up to date until the returned function is called. */
  start(): () => void {
    return this.#loader.start();
  }

  get #isTooMuch(): boolean {
    return this.busy && (this.items?.length ?? 0) > MANY;
  }

  reload(): Promise<void> {
    return this.#loader.reload();
  }

  async change(change: Omit<ItemsChange, 'remember'> & { remember?: boolean }): Promise<void> {
    const given = { remember: false, ...change };
    const changed = await body(
      api.PATCH('/api/jobs/{job_id}/items', { params: this.#params, body: given }),
    );
    const byId = new Map(changed.map((item) => [item.id, item]));
    this.#loader.patch((loaded) => ({
      ...loaded,
      items: loaded.items.map((item) => byId.get(item.id) ?? item),
    }));
  }

  async preview(config: JobConfig, rematch = false): Promise<void> {
    const given = { ...config, rematch };
    this.#changed(
      await body(api.POST('/api/jobs/{job_id}/preview', { params: this.#params, body: given })),
    );
  }

  async execute(): Promise<void> {
    this.#changed(
      await body(api.POST('/api/jobs/{job_id}/execute', { params: this.#params, body: {} })),
    );
  }

  async retry(): Promise<void> {
    this.#changed(await body(api.POST('/api/jobs/{job_id}/retry', { params: this.#params })));
  }

  async cancel(): Promise<void> {
    this.#changed(await body(api.POST('/api/jobs/{job_id}/cancel', { params: this.#params })));
  }

  async undo() {
    const undone = await body(api.POST('/api/jobs/{job_id}/undo', { params: this.#params }));
    this.#loader.refresh();
    return undone;
  }

  #changed(job: Job): void {
    this.#loader.patch((loaded) => ({ ...loaded, job }));
    this.#loader.refresh();
  }

  #progressed({ jobId, status, done, total }: JobProgress): void {
    if (jobId !== this.id) return;
    if (status !== this.job?.status) this.#loader.refresh();
    this.#loader.patch((loaded) => ({
      ...loaded,
      job: { ...loaded.job, status, progress: { done, total } },
    }));
  }

  async #load(show: (part: LoadedJob) => void): Promise<LoadedJob> {
    const job = await body(api.GET('/api/jobs/{job_id}', { params: this.#params }));
    const first = await this.#page(FIRST_PAGE);
    show({ job, items: first.items, isWhole: false });
    const items = [...first.items];
    for (let cursor = first.cursor; cursor;) {
      const page = await this.#page(PAGE, cursor);
      items.push(...page.items);
      cursor = page.cursor;
    }
    return { job, items, isWhole: true };
  }

  #page(limit: number, cursor?: number): Promise<ItemPage> {
    const params = { ...this.#params, query: { limit, ...(cursor ? { cursor } : {}) } };
    return body(api.GET('/api/jobs/{job_id}/items', { params }));
  }
}

import { ApiError, attempt, body, router } from '@quartet/kit';
import { OpenJob } from '../data/job.svelte.ts';
import type { Job, JobConfig } from '../data/types.ts';
import { FileTree } from '../files/tree.svelte.ts';
import { api } from '../service.ts';
import { usual } from './config.ts';

/** State of the page Rename; kept while other pages are open. */
class Renaming {
  readonly tree = new FileTree();
  config = $state.raw<JobConfig>(usual);
  opened = $state.raw<OpenJob>();
  /** Whether the server has been asked for a job and has not answered. */
  creating = $state(false);
  /** Changed options that are not sent yet. */
  #wanted = $state.raw<JobConfig>();
  /** The job whose options are shown. */
  #known: number | undefined;

  get waiting(): boolean {
    return this.#wanted !== undefined;
  }

  /** Opens a job by the id in the address. */
  open(id: number | undefined): void {
    if (id !== this.opened?.id) this.opened = id ? new OpenJob(id) : undefined;
  }

  /** Adopts the options of a job opened by its address. */
  adopt(job: Job): void {
    if (this.#known !== job.jobId) this.config = job.config;
    this.#known = job.jobId;
  }

  /** Creates a preview of the selected files; no file is changed. */
  preview(): Promise<boolean> {
    return this.#create([...this.tree.chosen]);
  }

  async change(next: JobConfig): Promise<void> {
    const before = this.config;
    this.config = next;
    if (!this.opened) return;
    // The files of a job are fixed when it is created.
    const others = (['mode', 'recursive', 'folders'] as const).some(
      (key) => before[key] !== next[key],
    );
    const paths = this.opened.job?.paths;
    if (others && paths) await this.#create(paths);
    else if (next.mode === 'media' || next.rules?.length) this.#wanted = next;
  }

  /** Sends changed options once the job can be changed. */
  async send(): Promise<void> {
    const next = this.#wanted;
    const opened = this.opened;
    if (!next || !opened) return;
    this.#wanted = undefined;
    await attempt(async () => {
      try {
        await opened.preview(next);
      } catch (error) {
        if (!(error instanceof ApiError && error.code === 'job_busy')) throw error;
        // The server is still working on earlier options, so these are sent again afterwards.
        await opened.reload();
        if (this.opened === opened) this.#wanted ??= next;
      }
    });
  }

  clear(): void {
    this.#forget(this.opened?.job);
    this.tree.chosen = new Set();
    this.#wanted = undefined;
    router.setQuery({ job: null, show: null, q: null });
  }

  async #create(paths: string[]): Promise<boolean> {
    this.creating = true;
    const created = await attempt(async () => {
      const before = this.opened?.job;
      this.#wanted = undefined;
      const job = await body(api.POST('/api/jobs/manual', { body: { ...this.config, paths } }));
      this.#known = job.jobId;
      router.setQuery({ job: job.jobId, show: null, q: null });
      this.#forget(before);
    });
    this.creating = false;
    return created;
  }

  /** Deletes an empty preview job. */
  #forget(job: Job | undefined): void {
    if (job?.status !== 'ready' || job.items.done) return;
    const params = { path: { job_id: job.jobId } };
    void api.DELETE('/api/jobs/{job_id}', { params }).catch(() => undefined);
  }
}

export const renaming = new Renaming();

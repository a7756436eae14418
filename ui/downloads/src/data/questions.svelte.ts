import { body, Loader } from '@quartet/kit';
import { api, live } from '../service.ts';
import { whenChanged } from './changed.ts';
import type { Question } from './types.ts';

/** Captchas and other questions waiting for an answer, oldest first. */
class Questions extends Loader<readonly Question[]> {
  /** Links of the downloads that wait for an answer. */
  readonly links = $derived<ReadonlySet<string | null | undefined>>(
    new Set(this.list.map(({ link }) => link)),
  );

  /** Packages that wait for the password of an archive. */
  readonly packages = $derived<ReadonlySet<number | null | undefined>>(
    new Set(this.list.map(({ packageId }) => packageId)),
  );

  get list(): readonly Question[] {
    return this.value ?? [];
  }

  /** Remove an answered question at once, so that the next one is shown. */
  drop(id: string): void {
    this.patch((list) => list.filter((question) => question.id !== id));
  }
}

export const questions = new Questions(() => body(api.GET('/api/captchas')), {
  live,
  reloadOn: (refresh) => [whenChanged(['captchas'], refresh)],
});

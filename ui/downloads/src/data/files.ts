import { body, router, toasts, attempt } from '@quartet/kit';
import * as m from '../paraglide/messages.js';
import { api } from '../service.ts';
import { nameOf } from './paths.ts';
import type { FileEntry } from './types.ts';

/** The answer is an attachment, so that the page stays open. */
export function save({ path }: FileEntry): void {
  location.assign(router.href(`/api/files/content?${new URLSearchParams({ path })}`));
}

export function extract(paths: string[]): Promise<boolean> {
  return attempt(async () => {
    await api.POST('/api/files/extract', { body: { paths } });
    toasts.show(m.unpack_started());
  });
}

/** Delete files; errors are handled by the caller, as for archives. */
export async function remove(paths: string[]): Promise<void> {
  await api.POST('/api/files/delete', { body: { paths } });
  toasts.show(m.done_deleted({ count: paths.length }));
}

export async function removeArchives(paths: string[]): Promise<void> {
  const answer = await body(api.POST('/api/files/delete-archives', { body: { paths } }));
  toasts.show(m.done_archives_deleted({ count: answer.deleted }));
}

export function move(paths: string[], to: string): Promise<boolean> {
  return attempt(async () => {
    await api.POST('/api/files/move', { body: { paths, to } });
    toasts.show(m.done_moved({ count: paths.length, folder: nameOf(to) || m.done_top() }));
  });
}

import TextCursorInput from '@lucide/svelte/icons/text-cursor-input';
import type { MenuItem } from '@quartet/kit';
import type { Download, FileEntry } from '../data/types.ts';
import * as m from '../paraglide/messages.js';
import { api } from '../service.ts';
import { renaming } from './renaming.svelte.ts';

export const renameItem = (run: () => void): MenuItem => ({
  label: m.rename(),
  icon: TextCursorInput,
  run,
});

const renameFile = (path: string, name: string): Promise<unknown> =>
  api.POST('/api/files/rename', { body: { path, name } });

/** A finished download is renamed with its file, which may have been deleted. */
export const canRename = ({ status, file }: Download): boolean =>
  status !== 'finished' || file !== null;

export function renameDownload({ id, name, status, file }: Download): void {
  renaming.ask(name, (next) =>
    status === 'finished' && file
      ? renameFile(file, next)
      : api.PATCH('/api/downloads/{download_id}', {
          params: { path: { download_id: id } },
          body: { name: next },
        }),
  );
}

export function renameEntry({ name, path }: FileEntry): void {
  renaming.ask(name, (next) => renameFile(path, next));
}

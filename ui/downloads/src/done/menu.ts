import ArchiveX from '@lucide/svelte/icons/archive-x';
import FolderInput from '@lucide/svelte/icons/folder-input';
import FolderOpen from '@lucide/svelte/icons/folder-open';
import HardDriveDownload from '@lucide/svelte/icons/hard-drive-download';
import Info from '@lucide/svelte/icons/info';
import PackageOpen from '@lucide/svelte/icons/package-open';
import Trash2 from '@lucide/svelte/icons/trash-2';
import type { Icon, MenuGroup, MenuItem } from '@quartet/kit';
import { extract, save } from '../data/files.ts';
import { renameEntry, renameItem } from '../rename/rename.ts';
import type { FileEntry } from '../data/types.ts';
import * as m from '../paraglide/messages.js';
import { hasArchives } from './states.ts';

export interface FileActions {
  onopen: (entry: FileEntry) => void;
  onmove: () => void;
  ondelete: () => void;
  ondeletearchives: () => void;
}

interface Action {
  label: string;
  icon: Icon;
  run: () => void;
}

/** What can be done with the selected files and folders. */
export function actionsFor(
  chosen: readonly FileEntry[],
  actions: Omit<FileActions, 'onopen'>,
): Action[] {
  const archives = chosen.filter(hasArchives).map(({ path }) => path);
  return [
    ...(archives.length > 0
      ? [
          { label: m.unpack(), icon: PackageOpen, run: () => void extract(archives) },
          {
            label: m.done_delete_archives(),
            icon: ArchiveX,
            run: actions.ondeletearchives,
          },
        ]
      : []),
    { label: m.done_move(), icon: FolderInput, run: actions.onmove },
    { label: m.remove(), icon: Trash2, run: actions.ondelete },
  ];
}

/** The menu of a file or folder, for everything that is selected. */
export function fileMenu(
  entry: FileEntry,
  chosen: readonly FileEntry[],
  actions: FileActions,
): MenuGroup[] {
  const open = (): void => actions.onopen(entry);
  const own: MenuItem[] = entry.dir
    ? [{ label: m.show_files(), icon: FolderOpen, run: open }]
    : [
        { label: m.details(), icon: Info, run: open },
        { label: m.done_save(), icon: HardDriveDownload, run: () => save(entry) },
      ];
  const rename = renameItem(() => renameEntry(entry));
  return [{ items: [...own, rename] }, { items: actionsFor(chosen, actions) }];
}

import Copy from '@lucide/svelte/icons/copy';
import FolderOpen from '@lucide/svelte/icons/folder-open';
import RotateCcw from '@lucide/svelte/icons/rotate-ccw';
import Trash2 from '@lucide/svelte/icons/trash-2';
import { attempt, body, router, toasts, type MenuGroup, type MenuItem } from '@quartet/kit';
import type { HistoryEntry } from '../data/types.ts';
import { addressOf } from '../done/address.ts';
import * as m from '../paraglide/messages.js';
import { copyText } from '../queue/menu.ts';
import { api } from '../service.ts';
import { packagesAgain } from './again.ts';

/** The menu of entries of the history. */
export function entryMenu(entries: readonly HistoryEntry[]): MenuGroup[] {
  const items: MenuItem[] = [
    { label: m.download_again(), icon: RotateCcw, run: () => void downloadAgain(entries) },
    { label: m.copy_links(), icon: Copy, run: () => void copyLinks(entries) },
  ];
  const file = entries.length === 1 ? entries[0]?.file : null;
  if (file)
    items.push({
      label: m.show_files(),
      icon: FolderOpen,
      run: () => router.go(addressOf(file.split('/').slice(0, -1).join('/'))),
    });
  const last = { label: m.history_remove(), icon: Trash2, run: () => void forget(entries) };
  return [{ items }, { items: [last] }];
}

async function downloadAgain(entries: readonly HistoryEntry[]): Promise<void> {
  const packages = packagesAgain(entries);
  await attempt(async () => {
    for (const each of packages) await body(api.POST('/api/links', { body: each }));
    toasts.show(m.add_started({ count: entries.length }));
    router.go('/');
  });
}

const copyLinks = (entries: readonly HistoryEntry[]): Promise<void> =>
  copyText([...new Set(entries.map(({ url }) => url))].join('\n'));

async function forget(entries: readonly HistoryEntry[]): Promise<void> {
  await attempt(async () => {
    for (const { id } of entries)
      await body(api.DELETE('/api/history/{entry_id}', { params: { path: { entry_id: id } } }));
  });
}

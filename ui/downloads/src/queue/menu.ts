import ArrowDownToLine from '@lucide/svelte/icons/arrow-down-to-line';
import ArrowUpToLine from '@lucide/svelte/icons/arrow-up-to-line';
import Copy from '@lucide/svelte/icons/copy';
import FolderOpen from '@lucide/svelte/icons/folder-open';
import Info from '@lucide/svelte/icons/info';
import KeyRound from '@lucide/svelte/icons/key-round';
import PackageOpen from '@lucide/svelte/icons/package-open';
import Pause from '@lucide/svelte/icons/pause';
import Pencil from '@lucide/svelte/icons/pencil';
import Play from '@lucide/svelte/icons/play';
import RotateCcw from '@lucide/svelte/icons/rotate-ccw';
import ShieldCheck from '@lucide/svelte/icons/shield-check';
import Trash2 from '@lucide/svelte/icons/trash-2';
import Zap from '@lucide/svelte/icons/zap';
import { router, toasts, type MenuGroup, type MenuItem } from '@quartet/kit';
import { order, pause, prioritize, recheck, resume, startNow, unpack } from '../data/actions.ts';
import { movedIds, type Move } from '../data/order.ts';
import { queue } from '../data/packages.svelte.ts';
import type { Chosen, Row } from '../data/rows.ts';
import { isActive, needsPassword } from '../data/states.ts';
import type { Download, Package } from '../data/types.ts';
import { addressOf } from '../done/address.ts';
import * as m from '../paraglide/messages.js';
import { canRename, renameDownload, renameItem } from '../rename/rename.ts';
import { priorities, priorityWord } from './priorities.ts';

export interface RowActions {
  showDetails: (downloadId: number) => void;
  editPackage: (packageId: number) => void;
  remove: () => void;
}

const downloadsOf = ({ packages, downloads }: Chosen): Download[] => [
  ...packages.flatMap((each) => each.downloads),
  ...downloads,
];

const canStartNow = ({ status, startedNow }: Download): boolean =>
  ['queued', 'paused', 'failed'].includes(status) && !startedNow;

/** The menu of a row, for everything that is selected. */
export function rowMenu(row: Row, chosen: Chosen, actions: RowActions): MenuGroup[] {
  const groups: MenuGroup[] = [
    { items: runItems(chosen) },
    { items: lookItems(row, chosen, actions) },
    { label: m.priority(), items: priorityItems(chosen) },
    { items: moveItems(chosen).filter((_, index, { length }) => [0, length - 1].includes(index)) },
    { items: [{ label: m.remove(), icon: Trash2, run: actions.remove }] },
  ];
  return groups.filter(({ items }) => items.length > 0);
}

function runItems(chosen: Chosen): MenuItem[] {
  const states = new Set(downloadsOf(chosen).map(({ status }) => status));
  const items: MenuItem[] = [];
  if (states.has('queued') || [...states].some(isActive))
    items.push({ label: m.pause(), icon: Pause, run: () => void pause(chosen) });
  else if (chosen.packages.some(({ seeding }) => seeding))
    items.push({ label: m.stop_seeding(), icon: Pause, run: () => void pause(chosen) });
  if (states.has('paused'))
    items.push({ label: m.resume(), icon: Play, run: () => void resume(chosen) });
  else if (states.has('failed'))
    items.push({ label: m.try_again(), icon: RotateCcw, run: () => void resume(chosen) });
  if (downloadsOf(chosen).some(canStartNow))
    items.push({ label: m.start_now(), icon: Zap, run: () => void startNow(chosen) });
  if (chosen.packages.some(({ summary }) => summary.finished > 0))
    items.push({ label: m.unpack(), icon: PackageOpen, run: () => void extract(chosen) });
  const torrents = chosen.packages.filter(({ infoHash }) => infoHash !== null);
  if (torrents.length > 0)
    items.push({ label: m.torrent_recheck(), icon: ShieldCheck, run: () => void check(torrents) });
  return items;
}

function lookItems(row: Row, chosen: Chosen, actions: RowActions): MenuItem[] {
  const given = packageOf(row);
  const items: MenuItem[] = [];
  if (row.kind === 'download') {
    const { download } = row;
    items.push({ label: m.details(), icon: Info, run: () => actions.showDetails(download.id) });
    if (canRename(download)) items.push(renameItem(() => renameDownload(download)));
  }
  if (given) {
    const edit = (): void => actions.editPackage(given.id);
    if (needsPassword(given)) items.push({ label: m.answer_question(), icon: KeyRound, run: edit });
    items.push({ label: m.edit_package(), icon: Pencil, run: edit });
  }
  items.push({ label: m.copy_links(), icon: Copy, run: () => void copyLinks(chosen) });
  if (given && given.summary.finished > 0) {
    const show = (): void => router.go(addressOf(given.targetDir));
    items.push({ label: m.show_files(), icon: FolderOpen, run: show });
  }
  return items;
}

const packageOf = (row: Row): Package | undefined =>
  row.kind === 'package'
    ? row.package
    : queue.packages?.find(({ id }) => id === row.download.packageId);

export async function extract(chosen: Chosen): Promise<void> {
  if (await unpack(chosen.packages)) toasts.show(m.unpack_started());
}

async function check(torrents: readonly Package[]): Promise<void> {
  if (await recheck(torrents)) toasts.show(m.torrent_recheck_started());
}

export function copyLinks(chosen: Chosen): Promise<void> {
  // All files of a torrent have its magnet link.
  return copyText([...new Set(downloadsOf(chosen).map(({ url }) => url))].join('\n'));
}

export async function copyText(links: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(links);
    toasts.show(m.copied_links());
  } catch {
    // Browsers block the clipboard without HTTPS.
    toasts.show(m.copy_failed());
  }
}

/** One radio item per priority; checked if everything selected has it. */
export function priorityItems(chosen: Chosen): MenuItem[] {
  const now = new Set(downloadsOf(chosen).map(({ priority }) => priority));
  return priorities.map((priority) => ({
    label: priorityWord(priority),
    checked: now.size === 1 && now.has(priority),
    run: () => void prioritize(chosen, priority),
  }));
}

/** Empty unless packages are selected. */
export function moveItems(chosen: Chosen): MenuItem[] {
  if (chosen.packages.length === 0) return [];
  const moves: [Move, string, MenuItem['icon']?][] = [
    ['first', m.move_first(), ArrowUpToLine],
    ['up', m.move_up()],
    ['down', m.move_down()],
    ['last', m.move_last(), ArrowDownToLine],
  ];
  return moves.map(([to, label, icon]) => ({
    label,
    ...(icon ? { icon } : {}),
    run: () => move(chosen, to),
  }));
}

function move(chosen: Chosen, to: Move): void {
  const moving = new Set(chosen.packages.map(({ id }) => id));
  const ids = (queue.packages ?? []).map(({ id }) => id);
  void order(movedIds(ids, moving, to));
}

import Download from '@lucide/svelte/icons/download';
import File from '@lucide/svelte/icons/file';
import Folder from '@lucide/svelte/icons/folder';
import { body, router, type Command } from '@quartet/kit';
import { addressOf } from '../done/address.ts';
import * as m from '../paraglide/messages.js';
import { api } from '../service.ts';

const MOST_DOWNLOADS = 12;

/** Finds downloads and finished files for the command palette. */
export async function findCommands(text: string): Promise<Command[]> {
  const [downloads, files] = await Promise.all([findDownloads(text), findFiles(text)]);
  return [...downloads, ...files];
}

async function findDownloads(text: string): Promise<Command[]> {
  const query = { q: text, limit: MOST_DOWNLOADS };
  const { packages } = await body(api.GET('/api/packages', { params: { query } }));
  // The groups of the palette stay together: the queue first, as in the navigation.
  const sorted = packages.toSorted((one, other) => Number(one.collector) - Number(other.collector));
  return sorted.flatMap(({ collector, downloads }) =>
    downloads.map(({ id, name }) => ({
      label: name,
      group: collector ? m.grabber() : m.queue(),
      icon: Download,
      run: () =>
        router.go(collector ? `/grabber?${new URLSearchParams({ q: name })}` : `/?download=${id}`),
    })),
  );
}

async function findFiles(text: string): Promise<Command[]> {
  const query = { q: text };
  const found = await body(api.GET('/api/files/search', { params: { query } }));
  return found.map(({ path, dir }) => ({
    label: path,
    group: m.done(),
    icon: dir ? Folder : File,
    run: () => router.go(dir ? addressOf(path) : addressOfFile(path)),
  }));
}

/** The page of a folder with the details of one of its files. */
function addressOfFile(path: string): string {
  const at = path.lastIndexOf('/');
  const file = new URLSearchParams({ file: path.slice(at + 1) });
  const folder = addressOf(path.slice(0, Math.max(0, at)));
  return `${folder}${folder.includes('?') ? '&' : '?'}${file}`;
}

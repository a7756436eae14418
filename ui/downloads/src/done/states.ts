import { percent, type Tone } from '@quartet/kit';
import { questions } from '../data/questions.svelte.ts';
import type { FileEntry, Problem, Unpacking } from '../data/types.ts';
import * as m from '../paraglide/messages.js';

/** Progress of the extraction in this file or folder, in percent. */
export function unpackedAt(entry: FileEntry, running: readonly Unpacking[]): number | undefined {
  const now = running.find(
    ({ path }) => path === entry.path || (entry.dir && path.startsWith(`${entry.path}/`)),
  );
  return now?.percent ?? entry.extracting ?? undefined;
}

export const problemOf = (entry: FileEntry): Problem | null =>
  entry.error ?? (entry.dir ? (entry.package?.extractError ?? null) : null);

/** The state of an entry; most files have none. */
export function stateOf(
  entry: FileEntry,
  running: readonly Unpacking[],
): { word: string; tone: Tone } | undefined {
  const share = unpackedAt(entry, running);
  if (share !== undefined)
    return { word: m.done_extracting({ percent: percent(share / 100) }), tone: 'active' };
  if (problemOf(entry)) return { word: m.extract_failed(), tone: 'bad' };
  const isArchive = entry.kind === 'archive';
  if (!isArchive && entry.archives === 0) return undefined;
  if (entry.package && questions.packages.has(entry.package.id))
    return { word: m.state_password(), tone: 'warn' };
  if (entry.package?.extract === 'pending') return { word: m.extract_pending(), tone: 'idle' };
  if (entry.package?.extract === 'done') return { word: m.extract_done(), tone: 'good' };
  const word = isArchive ? m.done_archive() : m.done_archives({ count: entry.archives });
  return { word, tone: 'idle' };
}

export const hasArchives = (entry: FileEntry): boolean =>
  entry.kind === 'archive' || entry.archives > 0;

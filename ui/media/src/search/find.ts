import Clapperboard from '@lucide/svelte/icons/clapperboard';
import { body, router, type Command } from '@quartet/kit';
import * as m from '../paraglide/messages.js';
import { api } from '../service.ts';

const MOST_FILES = 100;
const MOST_TITLES = 8;

/** Finds the titles of filed videos for the command palette. */
export async function findCommands(text: string): Promise<Command[]> {
  const query = { q: text, limit: MOST_FILES };
  const { entries } = await body(api.GET('/api/history', { params: { query } }));
  const titles = new Map(
    entries.flatMap(({ match }) =>
      match
        ? [[`${match.title}${match.year ? ` (${match.year})` : ''}`, match.title] as const]
        : [],
    ),
  );
  return [...titles].slice(0, MOST_TITLES).map(([label, title]) => ({
    label,
    group: m.history(),
    icon: Clapperboard,
    run: () => router.go(`/history?${new URLSearchParams({ q: title })}`),
  }));
}

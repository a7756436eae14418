import { folderOf, nameOf } from '../data/paths.ts';
import type { Candidate, JobItem } from '../data/types.ts';

/** The files of one season, or of a movie. */
export interface SeasonRow {
  /** Undefined for movies and for files without a number. */
  season: number | undefined;
  items: JobItem[];
}

/** All files of one title. */
export interface TitleCard {
  key: string;
  title: string;
  year: number | null;
  /** Undefined if nothing was found in the catalog. */
  candidate: Candidate | undefined;
  items: JobItem[];
  seasons: SeasonRow[];
}

/** Groups files by their catalog entry, or by the title in their name, in alphabetical order. */
export function titlesOf(items: readonly JobItem[]): TitleCard[] {
  const cards = new Map<string, TitleCard>();
  for (const item of items) {
    const candidate = item.match?.best ?? undefined;
    // Music and photos are grouped by their new folder.
    const title = candidate?.title ?? item.parsed?.title ?? nameOf(folderOf(item.target ?? ''));
    const key = candidate ? `${candidate.provider} ${candidate.id}` : `? ${title.toLowerCase()}`;
    const year = candidate?.year ?? item.parsed?.year ?? null;
    const card: TitleCard = cards.get(key) ?? {
      key,
      title,
      year,
      candidate,
      items: [],
      seasons: [],
    };
    card.items.push(item);
    cards.set(key, card);
  }
  for (const card of cards.values()) card.seasons = seasonsOf(card.items);
  return [...cards.values()].sort((one, other) => one.title.localeCompare(other.title));
}

function seasonsOf(items: readonly JobItem[]): SeasonRow[] {
  const rows = new Map<number | undefined, SeasonRow>();
  for (const item of items) {
    const season = item.match?.episodes?.[0]?.season ?? item.parsed?.seasons[0];
    const row: SeasonRow = rows.get(season) ?? { season, items: [] };
    row.items.push(item);
    rows.set(season, row);
  }
  return [...rows.values()].sort(
    (one, other) => (one.season ?? Infinity) - (other.season ?? Infinity),
  );
}

/** The lowest confidence decides, because it needs attention. */
export const leastSure = (items: readonly JobItem[]): JobItem =>
  items.reduce((least, item) => (item.confidence < least.confidence ? item : least));

import type { Episode, NewNumbers } from '../data/types.ts';

const two = (number: number): string => String(number).padStart(2, '0');

export const episodeCode = (season: number, episode: number): string =>
  `S${two(season)}E${two(episode)}`;

/** The episodes of a file as one text: `5` or `5-6`. */
export function episodesOf(known: readonly Episode[], read: readonly number[]): string {
  const numbers = known.length > 0 ? known.map(({ episode }) => episode) : read;
  const [first, last] = [numbers[0], numbers.at(-1)];
  if (first === undefined || last === undefined) return '';
  return first === last ? String(first) : `${first}-${last}`;
}

/** Reads `5`, `5-6` and `5, 7`; undefined if that is no list of numbers. */
export function readEpisodes(text: string): number[] | undefined {
  const numbers: number[] = [];
  for (const one of text.split(/[,\s]+/).filter(Boolean)) {
    const found = /^(\d{1,5})(?:[-–](\d{1,5}))?$/.exec(one);
    if (!found) return undefined;
    const [from, to] = [Number(found[1]), Number(found[2] ?? found[1])];
    if (to < from || to - from > 99) return undefined;
    for (let number = from; number <= to; number++) numbers.push(number);
  }
  return numbers.length > 0 ? numbers : undefined;
}

interface Typed {
  season: string;
  episodes: string;
  first: string;
  shift: string;
}

/** The correction to send; undefined while the fields are incomplete. */
export function numbersFrom(isSingle: boolean, typed: Typed): NewNumbers | undefined {
  const season = typed.season.trim();
  if (season && !/^\d{1,4}$/.test(season)) return undefined;
  if (isSingle) {
    const episodes = readEpisodes(typed.episodes);
    return episodes && { shift: 0, episodes, season: season ? Number(season) : null };
  }
  const [first, shift] = [typed.first.trim(), typed.shift.trim()];
  if ((first && !/^\d{1,5}$/.test(first)) || (shift && !/^[+-]?\d{1,5}$/.test(shift)))
    return undefined;
  if (!season && !first && !shift) return undefined;
  return {
    shift: first ? 0 : Number(shift || 0),
    ...(season ? { season: Number(season) } : {}),
    ...(first ? { firstEpisode: Number(first) } : {}),
  };
}

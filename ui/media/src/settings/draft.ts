import type { Options } from '../data/types.ts';

export const KEYS = [
  'tmdb',
  'tvdb',
  'tvdbPin',
  'omdb',
  'opensubtitlesUser',
  'opensubtitlesPassword',
  'opensubtitlesKey',
  'acoustid',
] as const;
export type KeyName = (typeof KEYS)[number];

/** The settings as form values: shares as percent, keys empty if unchanged. */
export interface Draft {
  language: string;
  order: Options['order'];
  movieProvider: Options['movieProvider'];
  seriesProvider: Options['seriesProvider'];
  movieFormat: string;
  seriesFormat: string;
  musicFormat: string;
  photosFormat: string;
  musicbrainz: boolean;
  auto: string;
  suggest: string;
  extras: NonNullable<Options['extras']>;
  junk: NonNullable<Options['junk']>;
  keys: Record<KeyName, string>;
}

/** Sent instead of a key to remove it. */
export const REMOVED = '-';

export function draftOf(shown: Options): Draft {
  return {
    language: shown.language,
    order: shown.order,
    movieProvider: shown.movieProvider,
    seriesProvider: shown.seriesProvider,
    movieFormat: shown.formats?.movie ?? '',
    seriesFormat: shown.formats?.series ?? '',
    musicFormat: shown.formats?.music ?? '',
    photosFormat: shown.formats?.photos ?? '',
    musicbrainz: shown.musicbrainz ?? false,
    auto: percentOf(shown.autoThreshold),
    suggest: percentOf(shown.suggestThreshold),
    extras: shown.extras ?? 'file',
    junk: shown.junk ?? 'remove',
    keys: Object.fromEntries(KEYS.map((name) => [name, ''])) as Record<KeyName, string>,
  };
}

export function optionsOf(draft: Draft, shown: Options): Options {
  return {
    ...shown,
    language: draft.language.trim(),
    order: draft.order,
    movieProvider: draft.movieProvider,
    seriesProvider: draft.seriesProvider,
    formats: {
      movie: draft.movieFormat,
      series: draft.seriesFormat,
      music: draft.musicFormat,
      photos: draft.photosFormat,
    },
    musicbrainz: draft.musicbrainz,
    autoThreshold: shareOf(draft.auto) ?? shown.autoThreshold,
    suggestThreshold: shareOf(draft.suggest) ?? shown.suggestThreshold,
    extras: draft.extras,
    junk: draft.junk,
    keys: { ...draft.keys },
  };
}

/** The field with an invalid number. */
export function badNumber(draft: Draft): 'auto' | 'suggest' | undefined {
  if (shareOf(draft.auto) === undefined) return 'auto';
  return shareOf(draft.suggest) === undefined ? 'suggest' : undefined;
}

export const percentOf = (share: number): string => String(Math.round(share * 1000) / 10);

/** Like `shareOf`, but may be empty: null means the value from the settings. */
export const shareOrUsual = (text: string): number | null | undefined =>
  text.trim() ? shareOf(text) : null;

/** Converts a typed percentage to a share between 0 and 1; accepts a comma. */
export function shareOf(text: string): number | undefined {
  const value = Number(text.trim().replace(',', '.').replace(/\s*%$/, ''));
  return text.trim() !== '' && value >= 0 && value <= 100 ? value / 100 : undefined;
}

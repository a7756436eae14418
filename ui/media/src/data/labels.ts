import { kitTexts, percent, type Tone } from '@quartet/kit';
import * as m from '../paraglide/messages.js';
import type {
  Action,
  ConflictPolicy,
  FolderKind,
  FormatKind,
  ItemState,
  Job,
  JobItem,
  JobStatus,
  Kind,
  Options,
  ProviderName,
} from './types.ts';

type Words<Key extends string> = Record<Key, () => string>;

export const KINDS: Words<Kind> = { movie: m.movie, series: m.series };
export const FORMAT_KINDS: Words<FormatKind> = {
  ...KINDS,
  music: m.mode_music,
  photos: m.mode_photos,
};
export const FOLDER_KINDS: Words<FolderKind> = {
  folder: m.folder_kind_folder,
  movies: m.folder_kind_movies,
  series: m.folder_kind_series,
  music: m.folder_kind_music,
  photos: m.folder_kind_photos,
};
export const ACTIONS: Words<Action> = {
  move: m.action_move,
  copy: m.action_copy,
  hardlink: m.action_hardlink,
  reflink: m.action_reflink,
  test: m.action_test,
};
export const CONFLICTS: Words<ConflictPolicy> = {
  skip: m.conflict_skip,
  suffix: m.conflict_suffix,
  keep_better: m.conflict_keep_better,
  overwrite: m.conflict_overwrite,
};
export const ORDERS: Words<Options['order']> = {
  aired: m.order_aired,
  dvd: m.order_dvd,
  absolute: m.order_absolute,
};
export const EXTRAS: Words<NonNullable<Options['extras']>> = {
  file: m.extras_file,
  leave: m.extras_leave,
  skip: m.extras_skip,
};
export const JUNK: Words<NonNullable<Options['junk']>> = {
  remove: m.junk_remove,
  keep: m.junk_keep,
};
export const PROVIDERS: Words<ProviderName> = {
  tmdb: () => 'TMDB',
  tvmaze: () => 'TVmaze',
  tvdb: () => 'TheTVDB',
  anilist: () => 'AniList',
  omdb: () => 'OMDb',
  wikidata: () => 'Wikidata',
  demo: m.provider_demo,
};
export const JOB_STATES: Words<JobStatus> = {
  pending: m.job_pending,
  scanning: m.job_scanning,
  matching: m.job_matching,
  ready: m.job_ready,
  queued: m.job_queued,
  executing: m.job_executing,
  done: m.job_done,
  failed: m.job_failed,
  cancelled: m.job_cancelled,
  undone: m.job_undone,
};

export const JOB_KINDS: Words<Job['kind']> = {
  manual: m.job_kind_manual,
  watch: m.job_kind_watch,
  hook: m.job_kind_hook,
};

const ITEM_WORDS: Words<ItemState> = {
  parsed: m.item_parsed,
  matched: m.item_matched,
  needs_review: m.item_needs_review,
  ready: m.item_ready,
  done: m.item_done,
  skipped: m.item_skipped,
  failed: m.item_failed,
  undone: m.item_undone,
};
const CONFLICT_WORDS: Words<NonNullable<JobItem['conflict']>> = {
  duplicate: m.item_same_target,
  exists: m.item_target_exists,
};
const ITEM_TONES: Record<ItemState, Tone> = {
  parsed: 'idle',
  matched: 'idle',
  needs_review: 'warn',
  ready: 'idle',
  done: 'good',
  skipped: 'idle',
  failed: 'bad',
  undone: 'idle',
};

/** Returns the choices for a select, in the order of the labels. */
export function options<Key extends string>(words: Words<Key>): { value: Key; label: string }[] {
  return (Object.keys(words) as Key[]).map((value) => ({ value, label: words[value]() }));
}

export function stateOf(item: JobItem): { word: string; tone: Tone } {
  if (item.excluded && !['done', 'undone'].includes(item.state))
    return { word: m.item_excluded(), tone: 'idle' };
  if (item.state === 'skipped' && item.reasons.includes('same_path'))
    return { word: m.item_unchanged(), tone: 'idle' };
  if (item.conflict && ['ready', 'needs_review'].includes(item.state))
    return { word: CONFLICT_WORDS[item.conflict](), tone: 'warn' };
  return { word: ITEM_WORDS[item.state](), tone: ITEM_TONES[item.state] };
}

/** The confidence of a match as a label and a colour. */
export function confidenceLabel(item: JobItem): { word: string; tone: Tone } {
  // Music and photos have no catalog entry; they are named by their tags.
  const named = item.match?.best || (!item.parsed && item.target);
  if (!named) return { word: m.confidence_none(), tone: 'bad' };
  if (item.reasons.includes('chosen')) return { word: m.confidence_manual(), tone: 'good' };
  return { word: percent(item.confidence), tone: item.confidence >= 0.9 ? 'good' : 'warn' };
}

/** Returns a message by key, for codes from the server. */
export function textOf(prefix: string, code: string): string {
  const text = (m as Record<string, unknown>)[`${prefix}_${code}`];
  return typeof text === 'function' ? (text as () => string)() : kitTexts.error_unknown({ code });
}

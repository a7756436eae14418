import type { Tone } from '@quartet/kit';
import * as m from '../paraglide/messages.js';
import type { Download, ProgressItem, Status } from './types.ts';

export const filters = ['active', 'queued', 'paused', 'finished', 'failed'] as const;
export type Filter = (typeof filters)[number];

const TONES: Record<Status, Tone> = {
  collected: 'idle',
  crawling: 'active',
  queued: 'idle',
  resolving: 'active',
  downloading: 'active',
  paused: 'warn',
  finished: 'good',
  failed: 'bad',
};

const WORDS: Record<Status, () => string> = {
  collected: m.state_collected,
  crawling: m.state_crawling,
  queued: m.state_queued,
  resolving: m.state_resolving,
  downloading: m.state_downloading,
  paused: m.state_paused,
  finished: m.state_finished,
  failed: m.state_failed,
};

const PHASES = { hashWait: m.phase_hash_wait, hashing: m.phase_hashing, moving: m.phase_moving };

const FILTERS: Record<Filter, () => string> = {
  active: m.filter_active,
  queued: m.state_queued,
  paused: m.state_paused,
  finished: m.state_finished,
  failed: m.state_failed,
};

export const filterWord = (filter: Filter): string => FILTERS[filter]();

export function isFilter(text: string | null): text is Filter {
  return filters.includes(text as Filter);
}

export function fits(status: Status, filter: Filter): boolean {
  return filter === 'active' ? isActive(status) : status === filter;
}

export const isActive = (status: Status): boolean =>
  status === 'downloading' || status === 'resolving' || status === 'crawling';

export function stateOf(download: Download, now?: ProgressItem): { word: string; tone: Tone } {
  const { status } = download;
  if (now?.phase && isActive(status)) return { word: PHASES[now.phase](), tone: 'active' };
  if (status === 'queued' && download.retryAt) return { word: m.state_retry(), tone: 'warn' };
  if (status === 'finished' && download.hashOk === false)
    return { word: m.state_hash_wrong(), tone: 'bad' };
  return { word: WORDS[status](), tone: TONES[status] };
}

const ONLINE: Record<Download['online'], () => string> = {
  unknown: m.online_unknown,
  online: m.online_online,
  offline: m.online_offline,
};

export function onlineOf(download: Download): { word: string; tone: Tone } {
  const tone = { unknown: 'idle', online: 'good', offline: 'bad' } as const;
  return { word: ONLINE[download.online](), tone: tone[download.online] };
}

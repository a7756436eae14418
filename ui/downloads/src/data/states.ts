import Zap from '@lucide/svelte/icons/zap';
import { codeText, number, type Icon, type Tone } from '@quartet/kit';
import * as m from '../paraglide/messages.js';
import { questions } from './questions.svelte.ts';
import type { Download, Package, Problem, ProgressItem, Section, Status } from './types.ts';

/** In the order of the queue. */
export const sections = ['active', 'attention', 'waiting', 'failed', 'finished'] as const;

const TONES: Record<Status, Tone> = {
  collected: 'idle',
  crawling: 'active',
  queued: 'idle',
  resolving: 'active',
  downloading: 'active',
  paused: 'idle',
  finished: 'good',
  failed: 'bad',
  skipped: 'idle',
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
  skipped: m.state_skipped,
};

const PHASES = {
  waiting: m.phase_waiting,
  hashWait: m.phase_hash_wait,
  hashing: m.phase_hashing,
  moving: m.phase_moving,
  metadata: m.phase_metadata,
  peers: m.phase_peers,
  checking: m.phase_checking,
};

const SECTIONS: Record<Section, () => string> = {
  active: m.section_active,
  attention: m.section_attention,
  waiting: m.section_waiting,
  failed: m.section_failed,
  finished: m.section_finished,
};

export const sectionWord = (section: Section): string => SECTIONS[section]();

export function isSection(text: string | null): text is Section {
  return sections.includes(text as Section);
}

export const isActive = (status: Status): boolean =>
  status === 'downloading' || status === 'resolving' || status === 'crawling';

export interface State {
  word: string;
  tone: Tone;
  /** Replaces the icon of the tone. */
  icon?: Icon;
  /** Why it is in this state, as a sentence. */
  reason?: string;
  /** Whether progress and icon say the same, so that a phone need not show the word. */
  plain?: boolean;
}

const PLAIN: readonly Status[] = ['collected', 'queued', 'downloading', 'finished'];

export function reasonText(problem: Problem | null | undefined): string | undefined {
  if (!problem) return undefined;
  const { reason, ...inputs } = problem.inputs ?? {};
  return codeText(problem.code, {
    ...inputs,
    reason: isProblem(reason) ? reasonText(reason) : reason,
  });
}

/** Whether the reason of an error is an error of its own, such as that of an entry of a feed. */
const isProblem = (reason: unknown): reason is Problem =>
  typeof reason === 'object' && reason !== null && 'code' in reason;

/** Whether the files of a torrent are compared with their hashes, which finished ones are too. */
export const isChecked = (now: ProgressItem | undefined): boolean => now?.phase === 'checking';

/** The state of a download; every page shows this one. */
export function downloadState(download: Download, now?: ProgressItem): State {
  const { status, error, online } = download;
  if (status === 'resolving' && questions.links.has(download.url))
    return { word: m.state_asking(), tone: 'warn' };
  if (now?.phase && (isActive(status) || isChecked(now)))
    return { word: PHASES[now.phase](), tone: 'active' };
  const reason = isActive(status) ? undefined : reasonText(error);
  if (status === 'collected' && online === 'offline')
    return { word: m.online_offline(), tone: 'bad', reason };
  if (status === 'queued' && download.retryAt)
    return { word: m.state_retry(), tone: 'warn', reason };
  if (status === 'paused' && reason) return { word: m.state_paused(), tone: 'warn', reason };
  if (status === 'finished' && download.hashOk === false)
    return { word: m.state_hash_wrong(), tone: 'bad', reason };
  if (download.startedNow && status === 'queued')
    return { word: m.state_starts_next(), tone: 'idle', icon: Zap, reason };
  if (download.startedNow && status === 'downloading')
    return { word: m.state_started_now(), tone: 'active', icon: Zap, plain: true };
  return { word: WORDS[status](), tone: TONES[status], reason, plain: PLAIN.includes(status) };
}

/** Whether an archive of the package waits for its password, or was given up without it. */
export const needsPassword = (given: Package): boolean =>
  questions.packages.has(given.id) ||
  (given.extract === 'failed' && given.extractError?.code === 'wrong_password');

/** Whether everything that is left was paused; unknown if not all downloads are loaded. */
const isPaused = ({ downloads, summary }: Package): boolean =>
  downloads.length === summary.downloads &&
  downloads.every(({ status }) => ['paused', 'finished', 'skipped'].includes(status));

/** The state of a package; every page shows this one. */
export function packageState(given: Package, speed: number, checked = false): State {
  const { downloads, finished, failed } = given.summary;
  if (needsPassword(given))
    return { word: m.state_password(), tone: 'warn', reason: reasonText(given.extractError) };
  if (checked) return { word: m.phase_checking(), tone: 'active' };
  if (given.moving) return { word: m.package_moving(), tone: 'active' };
  if (given.extract === 'running') return { word: m.extract_running(), tone: 'active' };
  if (given.extract === 'failed')
    return { word: m.extract_failed(), tone: 'bad', reason: reasonText(given.extractError) };
  if (failed > 0) {
    const first = given.downloads.find(({ status }) => status === 'failed');
    return {
      word: m.package_failed({ count: failed }),
      tone: 'bad',
      reason: reasonText(first?.error),
    };
  }
  // A link that is offline or a damaged file has not failed, but needs the same attention.
  const bad = given.downloads.find(({ section }) => section === 'failed');
  if (given.section === 'failed' && bad) return downloadState(bad);
  const stopped = given.downloads.find(
    ({ section, status }) => section === 'attention' && status === 'paused',
  );
  if (stopped) return downloadState(stopped);
  if (given.section === 'attention') return { word: m.state_asking(), tone: 'warn' };
  if (given.extract === 'pending') return { word: m.extract_pending(), tone: 'idle' };
  if (given.extract === 'done')
    return { word: m.extract_done(), tone: 'good', reason: reasonText(given.extractNotes[0]) };
  if (finished === downloads)
    return given.seeding
      ? { word: m.state_seeding(), tone: 'good' }
      : { word: m.state_finished(), tone: 'good', plain: true };
  if (isPaused(given)) return { word: m.state_paused(), tone: 'idle' };
  const word = m.package_finished({ finished: number(finished), count: number(downloads) });
  return { word, tone: speed > 0 ? 'active' : 'idle', plain: true };
}

const ONLINE: Record<Download['online'], () => string> = {
  unknown: m.online_unknown,
  online: m.online_online,
  offline: m.online_offline,
};

// Links that lead somewhere, but not to a file.
const NO_FILE: Record<string, () => string> = {
  web_page: m.online_web_page,
  ftp_folder: m.online_folder,
};

/** Whether a link can be downloaded, for the link grabber. */
export function onlineOf(download: Download): State {
  const tone = { unknown: 'idle', online: 'good', offline: 'bad' } as const;
  const { online, error } = download;
  const failed = online === 'unknown' && error !== null;
  const word = NO_FILE[error?.code ?? ''] ?? (failed ? m.online_failed : ONLINE[online]);
  return { word: word(), tone: failed ? 'warn' : tone[online], reason: reasonText(error) };
}

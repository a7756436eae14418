import type { JobFormats, JobTargets, NewWatchFolder, WatchFolder } from '../data/types.ts';
import { percentOf, shareOf } from '../settings/draft.ts';

/** A watch folder as form values. */
export interface Draft {
  name: string;
  path: string;
  enabled: boolean;
  mode: NonNullable<NewWatchFolder['mode']>;
  action: NewWatchFolder['action'];
  conflictPolicy: NewWatchFolder['conflictPolicy'];
  watchBy: NewWatchFolder['watchBy'];
  asks: boolean;
  threshold: string;
  stable: string;
  existing: boolean;
  targets: JobTargets;
  formats: JobFormats;
}

export function draftOf(folder?: WatchFolder): Draft {
  return {
    name: folder?.name ?? '',
    path: folder?.path ?? '',
    enabled: folder?.enabled ?? true,
    mode: folder?.mode ?? 'media',
    action: folder?.action ?? 'move',
    conflictPolicy: folder?.conflictPolicy ?? 'skip',
    watchBy: folder?.watchBy ?? 'auto',
    asks: folder?.autoThreshold === null,
    threshold: percentOf(folder?.autoThreshold ?? 0.9),
    stable: String(folder?.stableSeconds ?? 30),
    existing: folder?.existing ?? false,
    targets: folder?.targets ?? {},
    formats: folder?.formats ?? {},
  };
}

/** The field with an invalid number; undefined if all are valid. */
export function badNumber(draft: Draft): 'threshold' | 'stable' | undefined {
  const seconds = Number(draft.stable);
  if (!draft.asks && shareOf(draft.threshold) === undefined) return 'threshold';
  return Number.isInteger(seconds) && seconds >= 1 && seconds <= 3600 ? undefined : 'stable';
}

/** Settings that the form does not show are kept. */
export function folderOf(draft: Draft, before?: WatchFolder): NewWatchFolder {
  return {
    ...(before?.movieProvider ? { movieProvider: before.movieProvider } : {}),
    ...(before?.seriesProvider ? { seriesProvider: before.seriesProvider } : {}),
    ...(before?.order ? { order: before.order } : {}),
    ...(before?.language ? { language: before.language } : {}),
    name: draft.name.trim(),
    path: draft.path.trim(),
    enabled: draft.enabled,
    mode: draft.mode,
    action: draft.action,
    conflictPolicy: draft.conflictPolicy,
    watchBy: draft.watchBy,
    autoThreshold: draft.asks ? null : (shareOf(draft.threshold) ?? 0.9),
    stableSeconds: Number(draft.stable),
    existing: draft.existing,
    targets: draft.targets,
    formats: draft.formats,
  };
}

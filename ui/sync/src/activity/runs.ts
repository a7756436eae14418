import { codeText, date } from '@quartet/kit';
import { eventText } from '../data/codeTexts.ts';
import type { ActivityEvent } from '../data/types.ts';
import * as m from '../paraglide/messages.js';

/** Consecutive events of the same kind, shown as one; the newest comes first. */
export interface Run {
  /** Of the oldest event, so that a run keeps its id while it grows. */
  id: number;
  at: number;
  events: readonly ActivityEvent[];
}

/** Only runs of one day are merged, because the list is divided into days. */
export function inRuns(events: readonly ActivityEvent[]): Run[] {
  const runs: ActivityEvent[][] = [];
  let last = '';
  for (const event of events) {
    const subject = `${date(event.at)} ${subjectOf(event)}`;
    if (subject === last) runs.at(-1)!.push(event);
    else runs.push([event]);
    last = subject;
  }
  return runs.map((run) => ({ id: run.at(-1)!.id, at: run[0]!.at, events: run }));
}

function subjectOf({ kind, code, deviceId, folderId, inputs }: ActivityEvent): string {
  if (kind === 'connected' || kind === 'disconnected') return code;
  if (kind === 'changed') return `${code} ${deviceId} ${folderId}`;
  return withReason(eventText(code, inputs), inputs);
}

/** "Laptop changed 12 files in Photos", "3 devices connected". */
export function runText({ events }: Run): string {
  const { kind, code, inputs } = events[0]!;
  if (kind === 'changed') {
    return eventText(code, { ...inputs, count: changedFiles(events) });
  }
  const devices = devicesOf(events);
  if (devices.length > 1) {
    const count = devices.length;
    return kind === 'connected'
      ? m.devices_connected({ count })
      : m.devices_disconnected({ count });
  }
  const text = withReason(eventText(code, inputs), inputs);
  return events.length > 1 ? `${text} ×${events.length}` : text;
}

/** "Problem on Laptop with Photos: /photos is not writable." */
function withReason(text: string, { reason, details }: ActivityEvent['inputs']): string {
  // Events of earlier versions have no details, which the text may need.
  if (typeof reason !== 'string' || !details) return text;
  return `${text}: ${codeText(reason, details as Record<string, unknown>)}`;
}

/** A file that changed several times counts once, as far as the names are known. */
function changedFiles(events: readonly ActivityEvent[]): number {
  const known = new Set(events.flatMap(filesOf));
  const unknown = events.map((event) => Number(event.inputs.count) - filesOf(event).length);
  return unknown.reduce((sum, count) => sum + count, known.size);
}

const filesOf = ({ inputs }: ActivityEvent): string[] =>
  (inputs.files as string[] | undefined) ?? [];

/** The names of the changed files or of the devices. */
export function runNames({ events }: Run): string[] {
  if (events[0]!.kind !== 'changed') {
    const devices = devicesOf(events);
    return devices.length > 1 ? devices : [];
  }
  return [...new Set(events.flatMap(filesOf))];
}

function devicesOf(events: readonly ActivityEvent[]): string[] {
  const links = events.filter(({ kind }) => kind === 'connected' || kind === 'disconnected');
  return [...new Set(links.map(({ inputs }) => String(inputs.device)))];
}

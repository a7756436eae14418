import { codeText, duration, kitTexts, type Tone } from '@quartet/kit';
import * as m from '../paraglide/messages.js';
import { sourceName, taskName } from './names.ts';
import type { Task } from './types.ts';

/** Replaces ids by names and seconds by durations. */
export function problemText({ code, inputs }: { code: string; inputs?: object }): string {
  const given: Record<string, unknown> = { ...inputs };
  if (typeof given.source === 'string') given.source = sourceName(given.source);
  if (typeof given.model === 'string') given.model = sourceName(given.model);
  if (typeof given.task === 'string') given.task = taskName(given.task);
  if (typeof given.age === 'number') given.age = duration(given.age);
  if (typeof given.reason === 'string' && (code === 'task_failed' || code === 'run_incomplete'))
    given.reason = codeText(given.reason, given.cause as Record<string, unknown> | undefined);
  return codeText(code, given);
}

export interface Said {
  tone: Tone;
  text: string;
}

export function taskState(task: Task): Said {
  if (task.error) return { tone: 'bad', text: m.admin_task_failed() };
  if (task.state === 'running') return { tone: 'active', text: kitTexts.state_running() };
  if (task.state === 'off') return { tone: 'idle', text: m.admin_task_off() };
  if (task.state === 'waiting') return { tone: 'good', text: kitTexts.state_waiting() };
  return { tone: 'idle', text: m.admin_task_done() };
}

export function sourceState(source: { newest: number | null; overdue: boolean }): Said {
  if (source.newest === null) return { tone: 'bad', text: m.admin_source_none() };
  return source.overdue
    ? { tone: 'warn', text: m.admin_source_overdue() }
    : { tone: 'good', text: m.admin_source_fresh() };
}

/** Short durations have one decimal: "0.3 sec". */
export function secondsText(seconds: number, locale: string): string {
  if (seconds >= 60) return duration(seconds, locale);
  const format = new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: 'second',
    unitDisplay: 'short',
    maximumFractionDigits: seconds >= 10 ? 0 : 1,
  });
  return seconds < 0.1 ? `< ${format.format(0.1)}` : format.format(seconds);
}

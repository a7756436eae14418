import { codeText, duration, kitTexts, type Tone } from '@quartet/kit';
import * as m from '../paraglide/messages.js';
import type { Task } from './types.ts';

const SOURCES: Record<string, () => string> = {
  demo: m.admin_source_demo,
  gauges: m.admin_source_gauges,
  metar: m.admin_source_metar,
  poi: m.admin_source_poi,
  taf: m.admin_source_taf,
  ten_minutes: m.admin_source_ten_minutes,
};

const TASKS: Record<string, () => string> = {
  'account-mails': m.admin_task_account_mails,
  'alarm-mails': m.admin_task_alarm_mails,
  'alarm-push': m.admin_task_alarm_push,
  alarms: m.admin_task_alarms,
  demo: m.admin_task_demo,
  'demo-measurements': m.admin_source_demo,
  'demo-ranking': m.admin_task_demo_ranking,
  'demo-weather': m.admin_task_demo_weather,
  'fetch-places': m.admin_task_fetch_places,
  gauges: m.admin_source_gauges,
  'keep-forecasts': m.admin_task_keep_forecasts,
  'latest-measurements': m.admin_task_latest_measurements,
  log: m.admin_task_log,
  metar: m.admin_source_metar,
  'models-of-alarms': m.admin_task_models_of_alarms,
  places: m.admin_task_places,
  poi: m.admin_source_poi,
  'prune-forecasts': m.admin_task_prune_forecasts,
  'prune-measurements': m.admin_task_prune_measurements,
  'station-lists': m.admin_task_station_lists,
  stations: m.admin_task_stations,
  statistics: m.admin_task_statistics,
  system: m.admin_task_system,
  taf: m.admin_source_taf,
  'ten-minutes': m.admin_source_ten_minutes,
  workers: m.admin_task_workers,
};

const FETCHES = 'ingest-';

export function sourceName(id: string): string {
  return SOURCES[id]?.() ?? id.toUpperCase();
}

/** One that has no words here keeps the name the server gives it. */
export function taskName(id: string): string {
  if (id.startsWith(FETCHES))
    return m.admin_task_ingest({ model: sourceName(id.slice(FETCHES.length)) });
  return TASKS[id]?.() ?? id;
}

/** Ids become names and seconds become a length of time. */
export function problemText({ code, inputs }: { code: string; inputs?: object }): string {
  const given: Record<string, unknown> = { ...inputs };
  if (typeof given.source === 'string') given.source = sourceName(given.source);
  if (typeof given.task === 'string') given.task = taskName(given.task);
  if (typeof given.age === 'number') given.age = duration(given.age);
  if (typeof given.reason === 'string' && code === 'task_failed')
    given.reason = codeText(given.reason);
  return codeText(code, given);
}

export interface Said {
  tone: Tone;
  text: string;
}

export function taskState(task: Task): Said {
  if (task.error) return { tone: 'bad', text: m.admin_task_failed() };
  if (task.state === 'running') return { tone: 'active', text: kitTexts.state_running() };
  if (task.state === 'waiting') return { tone: 'good', text: kitTexts.state_waiting() };
  return { tone: 'idle', text: m.admin_task_done() };
}

export function sourceState(source: { newest: number | null; overdue: boolean }): Said {
  if (source.newest === null) return { tone: 'bad', text: m.admin_source_none() };
  return source.overdue
    ? { tone: 'warn', text: m.admin_source_overdue() }
    : { tone: 'good', text: m.admin_source_fresh() };
}

/** Short lengths keep a tenth: "0.3 sec". */
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

import type { Problem } from './types.ts';

/** Sources that are not models. */
const MEASURED = new Set(['demo', 'gauges', 'metar', 'poi', 'taf', 'ten_minutes']);

/** Returns the section in which a problem can be solved. */
export function sectionOf({ code, inputs }: Problem): string {
  const { source } = inputs as { source?: string };
  if (source) return MEASURED.has(source) ? 'measurements' : 'forecasts';
  if (code === 'disk_nearly_full') return 'storage';
  if (code === 'messages_failed') return 'alarms';
  return 'tasks';
}

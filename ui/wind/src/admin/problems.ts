import type { Problem } from './types.ts';

/** Sources that are not models. */
const MEASURED = new Set(['demo', 'gauges', 'metar', 'poi', 'taf', 'ten_minutes']);

/** The section in which something can be done about it. */
export function sectionOf({ code, inputs }: Problem): string {
  const { source } = inputs as { source?: string };
  if (source) return MEASURED.has(source) ? 'measurements' : 'forecasts';
  if (code === 'disk_nearly_full') return 'storage';
  if (code === 'messages_failed') return 'alarms';
  return 'tasks';
}

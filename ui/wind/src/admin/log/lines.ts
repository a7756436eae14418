import type { LogLine } from '../types.ts';

export type Level = LogLine['level'];

export const LEVELS: readonly Level[] = ['debug', 'info', 'warning', 'error', 'critical'];

/** Filters live lines with the same rule as the server. */
export function fits(line: LogLine, level: Level, text: string): boolean {
  if (LEVELS.indexOf(line.level) < LEVELS.indexOf(level)) return false;
  const wanted = text.trim().toLowerCase();
  return [line.message, line.logger, line.requestId, line.trace].some((part) =>
    part.toLowerCase().includes(wanted),
  );
}

/** Merges lines, newest first and without duplicates; drops the oldest beyond the limit. */
export function merged(
  known: readonly LogLine[],
  more: readonly LogLine[],
  most: number,
): LogLine[] {
  const byId = new Map([...known, ...more].map((line) => [line.id, line]));
  return [...byId.values()].sort((one, other) => other.id - one.id).slice(0, most);
}

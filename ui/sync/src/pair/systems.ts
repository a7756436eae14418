import type { Enrollment } from '../data/types.ts';
import * as m from '../paraglide/messages.js';

export type System = 'linux' | 'macos' | 'windows';

export const systems: { value: System; label: string }[] = [
  { value: 'linux', label: 'Linux' },
  { value: 'macos', label: 'macOS' },
  { value: 'windows', label: 'Windows' },
];

const SERVICE = 'quartet agent service install';

/** Joins and goes on with every login; one line, as each system's shell joins two commands. */
export function commandFor(system: System, { command }: Enrollment): string {
  return system === 'windows' ? `${command}; if ($?) { ${SERVICE} }` : `${command} && ${SERVICE}`;
}

/** Whether the address in it leads every other machine to itself. */
export const isOnlyHere = ({ command }: Enrollment): boolean =>
  /:\/\/(localhost|127\.|\[::1\])/.test(command);

export const whereFor = (system: System): string =>
  ({ linux: m.where_linux, macos: m.where_macos, windows: m.where_windows })[system]();

/** Most people pair a device that is like the one they sit at. */
export function likelySystem(agent: string): System {
  if (/Windows/.test(agent)) return 'windows';
  return /Mac|iPhone|iPad/.test(agent) ? 'macos' : 'linux';
}

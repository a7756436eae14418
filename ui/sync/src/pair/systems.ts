import type { Enrollment } from '../data/types.ts';
import * as m from '../paraglide/messages.js';

export type System = 'linux' | 'macos' | 'windows';

export const systems: { value: System; label: string }[] = [
  { value: 'linux', label: 'Linux' },
  { value: 'macos', label: 'macOS' },
  { value: 'windows', label: 'Windows' },
];

const SERVICE = 'quartet agent service install';

/** Joins and installs the service in one line of the system's shell. */
export function commandFor(system: System, { command }: Enrollment): string {
  return system === 'windows' ? `${command}; if ($?) { ${SERVICE} }` : `${command} && ${SERVICE}`;
}

/** Returns true if the address works only on this machine. */
export const isOnlyHere = ({ command }: Enrollment): boolean =>
  /:\/\/(localhost|127\.|\[::1\])/.test(command);

export const whereFor = (system: System): string =>
  ({ linux: m.where_linux, macos: m.where_macos, windows: m.where_windows })[system]();

/** Guesses that the new device has the same system as this browser. */
export function likelySystem(agent: string): System {
  if (/Windows/.test(agent)) return 'windows';
  return /Mac|iPhone|iPad/.test(agent) ? 'macos' : 'linux';
}

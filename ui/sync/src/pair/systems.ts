import type { Distribution, Enrollment } from '../data/types.ts';
import * as m from '../paraglide/messages.js';

export type System = 'linux' | 'macos' | 'windows';

export const systems: { value: System; label: string }[] = [
  { value: 'linux', label: 'Linux' },
  { value: 'macos', label: 'macOS' },
  { value: 'windows', label: 'Windows' },
];

const SERVICE = 'quartet agent service install';

/** How a device of this system gets the agent; nothing if the server has none for it. */
export type Way = 'program' | 'python' | 'pythonSent';

/** Follows the order in which the scripts of the server look for an agent. */
export function wayFor(system: System, { agent, programs }: Distribution): Way | undefined {
  const fits = ({ platform }: { platform: string }): boolean => platform.startsWith(`${system}-`);
  if (system === 'linux' && fits(agent)) return 'pythonSent';
  if (programs.some(fits)) return 'program';
  return fits(agent) ? 'python' : undefined;
}

/** The files that a device of this system may get, with their checksums. */
export const filesFor = (system: System, { agent, programs }: Distribution) =>
  [agent, ...programs].filter(({ platform }) => platform.startsWith(`${system}-`));

/** Installs the agent from the server, joins, and installs the service. */
export function installCommand(system: System, server: string, code: string): string {
  const script = `${server}/api/agent/install`;
  if (system === 'windows') return `& ([scriptblock]::Create((irm ${script}.ps1))) ${code}`;
  // Debian has wget, but no curl; macOS has curl, but no wget.
  const fetch = `curl -fsSL ${script}.sh`;
  return `${system === 'linux' ? `(${fetch} || wget -qO- ${script}.sh)` : fetch} | sh -s -- ${code}`;
}

/** Joins with an installed agent, and installs the service. */
export function joinCommand(system: System, server: string, code: string): string {
  const command = `quartet agent join --server ${server} ${code}`;
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

import type { AgentFile, Enrollment } from '../data/types.ts';
import * as m from '../paraglide/messages.js';

export type System = 'linux' | 'macos' | 'windows';

export const systems: { value: System; label: string }[] = [
  { value: 'linux', label: 'Linux' },
  { value: 'macos', label: 'macOS' },
  { value: 'windows', label: 'Windows' },
];

const SERVICE = 'quartet agent service install';

/** Returns true if the server has the agent for this system. */
export const isOffered = (system: System, { platform }: AgentFile): boolean =>
  platform.startsWith(`${system}-`);

/** Installs the agent from the server, joins, and installs the service. */
export const installCommand = (system: System, server: string, code: string): string =>
  system === 'windows'
    ? `& ([scriptblock]::Create((irm ${server}/api/agent/install.ps1))) ${code}`
    : `curl -fsSL ${server}/api/agent/install.sh | sh -s -- ${code}`;

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

import ArrowDownToLine from '@lucide/svelte/icons/arrow-down-to-line';
import ArrowLeftRight from '@lucide/svelte/icons/arrow-left-right';
import ArrowUpFromLine from '@lucide/svelte/icons/arrow-up-from-line';
import Box from '@lucide/svelte/icons/box';
import Lock from '@lucide/svelte/icons/lock';
import Laptop from '@lucide/svelte/icons/laptop';
import Minus from '@lucide/svelte/icons/minus';
import Monitor from '@lucide/svelte/icons/monitor';
import Server from '@lucide/svelte/icons/server';
import Smartphone from '@lucide/svelte/icons/smartphone';
import { number, type Icon, type Tone } from '@quartet/kit';
import * as m from '../paraglide/messages.js';
import { isAdmin } from './access.ts';
import type { Health } from './health.ts';
import type { ShareProgress, ShareState } from './progress.ts';
import type { Device, DeviceKind, Hub, Mode, Role } from './types.ts';

export const modeIcons: Record<Mode, Icon> = {
  both: ArrowLeftRight,
  send: ArrowUpFromLine,
  receive: ArrowDownToLine,
  encrypted: Lock,
  off: Minus,
};

export const modeWord = (mode: Mode): string =>
  ({
    both: m.mode_both,
    send: m.mode_send,
    receive: m.mode_receive,
    encrypted: m.mode_encrypted,
    off: m.mode_off,
  })[mode]();

export const modeText = (mode: Mode): string =>
  ({
    both: m.mode_both_text,
    send: m.mode_send_text,
    receive: m.mode_receive_text,
    encrypted: m.mode_encrypted_text,
    off: m.mode_off_text,
  })[mode]();

export const kindIcons: Record<DeviceKind, Icon> = {
  desktop: Monitor,
  laptop: Laptop,
  server: Server,
  phone: Smartphone,
  other: Box,
};

export const kinds: DeviceKind[] = ['desktop', 'laptop', 'server', 'phone', 'other'];

export const kindWord = (kind: DeviceKind): string =>
  ({
    desktop: m.kind_desktop,
    laptop: m.kind_laptop,
    server: m.kind_server,
    phone: m.kind_phone,
    other: m.kind_other,
  })[kind]();

const SYSTEMS: Record<string, string> = { linux: 'Linux', macos: 'macOS', windows: 'Windows' };
export const systemWord = (os: string): string => SYSTEMS[os] ?? m.system_other();

/** The system of a device, or that it has no agent, which would report its system. */
export const platformWord = ({ agentless, os }: Device): string =>
  agentless ? m.without_agent() : systemWord(os);

/** How a device came to trust the server's key. */
export const trustWord = (trust: Device['trust']): string =>
  ({ code: m.trust_code, first_contact: m.trust_first_contact, '': m.trust_none })[trust]();

export interface Said {
  tone: Tone;
  text: string;
}

export function deviceState({ blocked, online, pace, refusal }: Device): Said {
  if (blocked) return { tone: 'bad', text: m.state_blocked() };
  if (refusal) return { tone: 'bad', text: m.state_refusing() };
  if (pace.paused) return { tone: 'warn', text: m.state_paused() };
  return online
    ? { tone: 'good', text: m.state_online() }
    : { tone: 'idle', text: m.state_offline() };
}

const STATES: Record<ShareState, (progress: ShareProgress) => Said> = {
  blocked: () => ({ tone: 'bad', text: m.state_blocked() }),
  held: () => ({ tone: 'bad', text: m.state_held() }),
  refusing: () => ({ tone: 'bad', text: m.state_refusing() }),
  hub_error: () => ({ tone: 'bad', text: m.state_hub_error() }),
  error: () => ({ tone: 'bad', text: m.state_error() }),
  failing: ({ count }) => ({ tone: 'bad', text: m.state_failing({ count }) }),
  offline: ({ needItems }) => ({
    tone: 'idle',
    text: needItems ? m.state_offline_behind({ count: needItems }) : m.state_offline(),
  }),
  syncing: ({ needItems }) => ({
    tone: 'active',
    text: needItems ? m.state_to_go({ count: needItems }) : m.state_syncing(),
  }),
  sending: ({ unsentItems }) => ({
    tone: 'active',
    text: m.state_to_send({ count: unsentItems }),
  }),
  scanning: () => ({ tone: 'active', text: m.state_scanning() }),
  paused: () => ({ tone: 'warn', text: m.state_paused() }),
  drifted: ({ count }) => ({ tone: 'warn', text: m.state_drifted({ count }) }),
  ready: () => ({ tone: 'good', text: m.state_ready() }),
  pending: () => ({ tone: 'active', text: m.state_pending() }),
  unconfirmed: () => ({ tone: 'active', text: m.state_unconfirmed() }),
  unaccepted: () => ({ tone: 'warn', text: m.state_unaccepted() }),
  unknown: () => ({ tone: 'idle', text: m.state_unknown() }),
};

export const shareState = (progress: ShareProgress): Said => STATES[progress.state](progress);

export function hubState({ state }: Pick<Hub, 'state'>): Said {
  switch (state) {
    case 'running':
      return { tone: 'good', text: m.hub_running() };
    case 'starting':
      return { tone: 'active', text: m.hub_starting() };
    case 'retrying':
      return { tone: 'warn', text: m.hub_retrying() };
    default:
      return { tone: 'bad', text: m.hub_stopped() };
  }
}

export function healthText(health: Health): string {
  switch (health.kind) {
    case 'empty':
      return isAdmin() ? m.health_empty() : m.health_unassigned();
    case 'disk':
      return m.health_disk();
    case 'hub':
      return m.health_hub();
    case 'errors':
      return m.health_errors({ count: health.count });
    case 'conflicts':
      return m.health_conflicts({ count: health.count });
    case 'one_behind':
      return `${health.device}: ${m.state_to_go({ count: health.count })}`;
    case 'behind':
      return m.health_behind({ devices: number(health.devices), count: health.count });
    case 'one_sending':
      return `${health.device}: ${m.state_to_send({ count: health.count })}`;
    case 'hub_behind':
      return m.health_hub_behind({ count: health.count });
    case 'unconfirmed':
      return m.health_unconfirmed({ count: health.count });
    case 'paused':
      return m.health_paused({ count: health.count });
    case 'offline':
      return m.health_offline({ count: health.devices, offline: number(health.offline) });
    default:
      return m.health_good({ count: health.devices });
  }
}

/** How far a clock is off. */
export function clockText(seconds: number): string {
  const minutes = Math.max(1, Math.round(Math.abs(seconds) / 60));
  return seconds > 0 ? m.clock_ahead({ count: minutes }) : m.clock_behind({ count: minutes });
}

export const roles: readonly Role[] = ['reader', 'editor', 'admin'];

const roleWords: Record<Role, () => string> = {
  reader: m.role_reader,
  editor: m.role_editor,
  admin: m.role_admin,
};

const roleTexts: Record<Role, () => string> = {
  reader: m.role_reader_text,
  editor: m.role_editor_text,
  admin: m.role_admin_text,
};

export const roleWord = (role: Role): string => roleWords[role]();
export const roleText = (role: Role): string => roleTexts[role]();

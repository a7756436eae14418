import type { Tone } from '@quartet/kit';
import * as m from '../../paraglide/messages.js';
import type { Level } from './lines.ts';

export const levelNames: Record<Level, () => string> = {
  debug: m.admin_level_debug,
  info: m.admin_level_info,
  warning: m.admin_level_warning,
  error: m.admin_level_error,
  critical: m.admin_level_critical,
};

export const levelTones: Record<Level, Tone> = {
  debug: 'idle',
  info: 'good',
  warning: 'warn',
  error: 'bad',
  critical: 'bad',
};

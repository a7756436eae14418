import * as m from '../../paraglide/messages.js';
import type { Setting } from '../types.ts';

const NAMES: Record<string, [name: () => string, help: () => string]> = {
  account_mode: [m.admin_set_account_mode, m.admin_set_account_mode_help],
  favorites_limit: [m.admin_set_favorites_limit, m.admin_set_favorites_limit_help],
  backups_kept: [m.admin_set_backups_kept, m.admin_set_backups_kept_help],
  notice: [m.admin_set_notice, m.admin_set_notice_help],
  imprint: [m.admin_set_imprint, m.admin_set_imprint_help],
  privacy: [m.admin_set_privacy, m.admin_set_privacy_help],
};

const MODES: Record<string, () => string> = {
  open: m.admin_mode_open,
  invite: m.admin_mode_invite,
  closed: m.admin_mode_closed,
};

export const settingName = (key: string): string => NAMES[key]?.[0]() ?? key;
export const settingHelp = (key: string): string => NAMES[key]?.[1]() ?? '';
export const choiceName = (value: string): string => MODES[value]?.() ?? value;

export function valueText({ type }: Setting, value: unknown): string {
  if (value === '') return m.admin_empty();
  return type === 'choice' ? choiceName(String(value)) : String(value);
}

import * as m from '../paraglide/messages.js';
import type { Tone } from '../parts/tone.ts';

const TEXTS: Record<string, () => string> = {
  account_created: m.audit_account_created,
  account_disabled: m.audit_account_disabled,
  account_enabled: m.audit_account_enabled,
  backup_downloaded: m.audit_backup_downloaded,
  deleted: m.audit_deleted,
  epoch_begun: m.audit_epoch_begun,
  exported: m.audit_exported,
  files_restored: m.audit_files_restored,
  held_changes_released: m.audit_held_changes_released,
  held_changes_undone: m.audit_held_changes_undone,
  imported: m.audit_imported,
  invite_created: m.audit_invite_created,
  link_created: m.audit_link_created,
  link_revoked: m.audit_link_revoked,
  link_used: m.audit_link_used,
  locked_out: m.audit_locked_out,
  messenger_added: m.audit_messenger_added,
  login_failed: m.audit_login_failed,
  password_changed: m.audit_password_changed,
  passkey_added: m.audit_passkey_added,
  recovery_code_used: m.audit_recovery_code_used,
  recovery_codes_created: m.audit_recovery_codes_created,
  reset_link_created: m.audit_reset_link_created,
  restore_cancelled: m.audit_restore_cancelled,
  restore_requested: m.audit_restore_requested,
  role_changed: m.audit_role_changed,
  server_key_rotated: m.audit_server_key_rotated,
  sessions_ended: m.audit_sessions_ended,
  signed_in: m.audit_signed_in,
  token_created: m.audit_token_created,
  token_refused: m.audit_token_refused,
};
const REFUSALS = new Set(['locked_out', 'login_failed', 'token_refused']);

export const EVENTS = Object.keys(TEXTS);

/** Events of newer servers are shown with their code. */
export const eventText = (event: string): string => TEXTS[event]?.() ?? event;

export const eventTone = (event: string): Tone => (REFUSALS.has(event) ? 'warn' : 'idle');

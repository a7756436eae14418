import * as m from '../paraglide/messages.js';
import type { Mode } from './types.ts';

type Kind = 'event' | 'revision';
type Message = (inputs: Record<string, unknown>) => string;

/** The text of a server code, such as `event_connected` or `revision_folder_added`. */
function codeMessage(
  kinds: readonly Kind[],
  code: string,
  inputs: Record<string, unknown>,
): string {
  const texts = m as unknown as Record<string, Message | undefined>;
  const message = kinds.map((kind) => texts[`${kind}_${code}`]).find(Boolean);
  if (code === 'shares_changed' && inputs.folder) return sharesText(inputs as ChangedShares);
  // A newer server may send codes that this page does not know.
  return message ? message(inputs) : m.code_unknown({ code });
}

/** The first changed share. */
interface ChangedShares {
  [name: string]: unknown;
  count: number;
  folder: string;
  device: string;
  before: Mode;
  after: Mode;
  path?: string;
}

const SHORT_MODES: Record<Mode, () => string> = {
  both: m.short_mode_both,
  send: m.short_mode_send,
  receive: m.short_mode_receive,
  encrypted: m.short_mode_encrypted,
  off: m.short_mode_off,
};

/** "Photos: Phone off → both ways, and 2 more". */
function sharesText({ count, folder, device, before, after, path }: ChangedShares): string {
  const names = { folder, device };
  const first =
    before !== after
      ? m.share_mode_changed({
          ...names,
          before: SHORT_MODES[before](),
          after: SHORT_MODES[after](),
        })
      : path
        ? m.share_path_changed({ ...names, path })
        : m.share_patterns_changed(names);
  return count > 1 ? m.and_more({ first, count: count - 1 }) : first;
}

/** Configuration changes are events too. */
export const eventText = (code: string, inputs: Record<string, unknown>): string =>
  codeMessage(['event', 'revision'], code, inputs);

export const revisionText = (code: string, inputs: Record<string, unknown>): string =>
  codeMessage(['revision'], code, inputs);

const WHO: Record<string, () => string> = { admin: m.who_admin, guard: m.who_guard };

/** The author of a change: the admin, the delete guard or a device that joined. */
export const whoText = (who: string): string => WHO[who]?.() ?? who;

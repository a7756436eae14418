import * as m from '../paraglide/messages.js';

type Kind = 'event' | 'revision';
type Message = (inputs: Record<string, unknown>) => string;

/** The text of a code of the server, as `event_connected` or `revision_folder_added`. */
function said(kinds: readonly Kind[], code: string, inputs: Record<string, unknown>): string {
  const texts = m as unknown as Record<string, Message | undefined>;
  const message = kinds.map((kind) => texts[`${kind}_${code}`]).find(Boolean);
  // A newer server may know more than this page.
  return message ? message(inputs) : m.code_unknown({ code });
}

/** A change of the configuration is an event as well. */
export const eventText = (code: string, inputs: Record<string, unknown>): string =>
  said(['event', 'revision'], code, inputs);

export const revisionText = (code: string, inputs: Record<string, unknown>): string =>
  said(['revision'], code, inputs);

const WHO: Record<string, () => string> = { admin: m.who_admin, guard: m.who_guard };

/** Who made a change: the admin, the guard against deletions, or a device that joined by itself. */
export const whoText = (who: string): string => WHO[who]?.() ?? who;

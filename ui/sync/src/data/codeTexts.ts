import * as m from '../paraglide/messages.js';

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
  // A newer server may send codes that this page does not know.
  return message ? message(inputs) : m.code_unknown({ code });
}

/** Configuration changes are events too. */
export const eventText = (code: string, inputs: Record<string, unknown>): string =>
  codeMessage(['event', 'revision'], code, inputs);

export const revisionText = (code: string, inputs: Record<string, unknown>): string =>
  codeMessage(['revision'], code, inputs);

const WHO: Record<string, () => string> = { admin: m.who_admin, guard: m.who_guard };

/** The author of a change: the admin, the delete guard or a device that joined. */
export const whoText = (who: string): string => WHO[who]?.() ?? who;

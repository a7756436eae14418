/** Click'n'Load is opt-in, because it needs access to every page. */
import { call, Refused, settings, text } from '../server.js';

export const EVERYWHERE = ['http://*/*', 'https://*/*'];
const IDS = ['clicknload-page', 'clicknload-bridge'];

export async function followChoice() {
  await chrome.scripting.unregisterContentScripts({ ids: IDS }).catch(() => undefined);
  const { clickNLoad } = await settings();
  if (!clickNLoad || !(await chrome.permissions.contains({ origins: EVERYWHERE }))) return;
  const common = { matches: EVERYWHERE, runAt: 'document_start', allFrames: true };
  await chrome.scripting.registerContentScripts([
    { ...common, id: IDS[0], js: ['cnl/page.js'], world: 'MAIN' },
    { ...common, id: IDS[1], js: ['cnl/bridge.js'] },
  ]);
}

/** Sends the form of a page to the server. */
export async function forward({ action, fields }, page) {
  if (!['add', 'addcrypted2'].includes(action)) throw new Refused(text('no_links'));
  const form = new URLSearchParams(fields);
  if (!form.get('source') && page) form.set('source', page);
  await call(`/api/cnl/flash/${action}`, { method: 'POST', form });
  return text('sent_clicknload');
}

/** Sends downloads of the browser to the server. Opt-in, because it needs access to every page. */
import { EVERYWHERE } from '../cnl/choice.js';
import { call, Refused, settings, text } from '../server.js';

export const PERMISSIONS = { permissions: ['cookies', 'downloads'], origins: EVERYWHERE };
const SCRIPT = 'takeover-keys';
const MIB = 1024 * 1024;
const BYPASS_MS = 5000;
// What the server accepts; a browser accepts more.
const COOKIE = { name: /^[\w!#$%&'*+.^`|~-]{1,200}$/, value: /^[\x20-\x3a\x3c-\x7e]*$/ };

let listening = false;

/** Follows the setting; the browser offers `downloads` only with the permission. */
export async function followTakeover(tell) {
  listen(tell);
  await chrome.scripting.unregisterContentScripts({ ids: [SCRIPT] }).catch(() => undefined);
  const { takeOver } = await settings();
  if (!takeOver || !(await chrome.permissions.contains(PERMISSIONS))) return;
  const page = { matches: EVERYWHERE, runAt: 'document_start', allFrames: true };
  await chrome.scripting.registerContentScripts([
    { ...page, id: SCRIPT, js: ['takeover/keys.js'] },
  ]);
}

export function listen(tell) {
  if (listening || !chrome.downloads) return;
  listening = true;
  const { onDeterminingFilename, onCreated } = chrome.downloads;
  if (!onDeterminingFilename) {
    onCreated.addListener((item) => void inFirefox(item, tell));
    return;
  }
  // Called when size and type are known; the browser waits for `goOn`.
  onDeterminingFilename.addListener((item, goOn) => {
    takeOver(item, tell).then((taken) => taken || goOn());
    return true;
  });
}

async function inFirefox(item, tell) {
  await chrome.downloads.pause(item.id).catch(() => undefined);
  if (!(await takeOver(item, tell))) await chrome.downloads.resume(item.id).catch(() => undefined);
}

/** Sends the download to the server and cancels it here; returns false if the browser keeps it. */
async function takeOver(item, tell) {
  try {
    if (!(await isWanted(item))) return false;
    tell(await hand(item));
  } catch (error) {
    tell(text('kept', error instanceof Refused ? error.message : String(error)));
    return false;
  }
  await chrome.downloads.cancel(item.id).catch(() => undefined);
  await chrome.downloads.erase({ id: item.id });
  return true;
}

/** The next download within a few seconds stays in the browser. */
export const bypass = () => chrome.storage.session.set({ bypassUntil: Date.now() + BYPASS_MS });

async function isWanted(item) {
  const { takeOver, address, token, takeOverFrom, takeOverTypes } = await settings();
  const { bypassUntil = 0 } = await chrome.storage.session.get('bypassUntil');
  if (!takeOver || !address || !token || item.incognito || item.byExtensionId) return false;
  if (Date.now() < bypassUntil) {
    await chrome.storage.session.remove('bypassUntil');
    return false;
  }
  const target = addressOf(item);
  if (!/^https?:/i.test(target) || target.startsWith(`${address}/`)) return false;
  return isLarge(item, takeOverFrom) && isOfType(item, takeOverTypes);
}

/** A download of unknown size counts as large. */
function isLarge({ totalBytes = -1, fileSize = -1 }, smallest) {
  const size = Math.max(totalBytes, fileSize);
  return size < 0 || size >= smallest * MIB;
}

/** Types are endings such as `zip`; without any, all files are taken. */
function isOfType(item, types) {
  const wanted = types.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const name = item.filename || new URL(addressOf(item)).pathname;
  return wanted.length === 0 || wanted.includes(name.split('.').pop().toLowerCase());
}

const addressOf = ({ finalUrl, url }) => finalUrl || url;

async function hand(item) {
  const url = addressOf(item);
  const stored = await chrome.cookies.getAll({ url });
  const sendable = stored.filter(
    ({ name, value }) => COOKIE.name.test(name) && COOKIE.value.test(value),
  );
  const body = {
    links: url,
    start: true,
    source: 'extension',
    cookies: Object.fromEntries(sendable.map(({ name, value }) => [name, value])),
    userAgent: navigator.userAgent,
  };
  if (/^https?:/i.test(item.referrer ?? '')) {
    body.referer = item.referrer;
    body.sourcePage = item.referrer;
  }
  await call('/api/links', { method: 'POST', body });
  return text('taken_over', item.filename?.split(/[\\/]/).pop() || new URL(url).hostname);
}

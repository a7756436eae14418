/** Address and API calls of the configured server. */

const DEFAULTS = {
  address: '',
  token: '',
  start: false,
  clickNLoad: false,
  takeOver: false,
  // In MiB.
  takeOverFrom: 1,
  // Endings of file names; all files if empty.
  takeOverTypes: '',
};

/** An error with a message for the user. */
export class Refused extends Error {}

export const text = (key, ...inputs) => chrome.i18n.getMessage(key, inputs.map(String)) || key;

export const settings = () => chrome.storage.local.get(DEFAULTS);

export const keep = (changes) => chrome.storage.local.set(changes);

/** Normalises an entered address, with or without scheme and slash; throws if it is invalid. */
export function addressOf(typed) {
  const url = new URL(/^https?:\/\//i.test(typed.trim()) ? typed.trim() : `http://${typed.trim()}`);
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** The host permissions to request; they cannot contain ports. */
export function originsOf(address) {
  const { protocol, hostname } = new URL(address);
  return [`${protocol}//${hostname}/*`];
}

export async function call(path, { method = 'GET', body, form, using } = {}) {
  const { address, token } = using ?? (await settings());
  if (!address || !token) throw new Refused(text('not_set_up'));
  const headers = { Authorization: `Bearer ${token}` };
  if (body) headers['Content-Type'] = 'application/json';
  let answer;
  try {
    answer = await fetch(`${address}${path}`, {
      method,
      headers,
      body: body ? JSON.stringify(body) : form,
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.timeout(20_000),
    });
  } catch {
    throw new Refused(text('unreachable', address));
  }
  if (answer.ok) return answer.status === 204 ? undefined : answer.json();
  throw new Refused(await reason(answer));
}

async function reason(answer) {
  if (answer.status === 401) return text('token_refused');
  const { code } = await answer.json().catch(() => ({}));
  return text(`error_${code}`) === `error_${code}`
    ? text('refused', code ?? answer.status)
    : text(`error_${code}`);
}

/** Adds links to the link grabber, or directly to the queue if configured. */
export async function send(links, sourcePage, { toGrabber = false } = {}) {
  const start = !toGrabber && (await settings()).start;
  const body = { links: links.join('\n'), start, source: 'extension' };
  if (sourcePage?.startsWith('http')) body.sourcePage = sourcePage;
  await call('/api/links', { method: 'POST', body });
  return text(start ? 'sent_to_queue' : 'sent_to_grabber', links.length);
}

export async function openServer(path = '/') {
  const { address } = await settings();
  if (address) await chrome.tabs.create({ url: `${address}${path}` });
  else await chrome.runtime.openOptionsPage();
}

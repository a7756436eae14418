import { call, text } from './server.js';

export const EVERY_MINUTES = 0.5;

/** Shows the number of waiting captchas and questions, and notifies once about each. */
export async function countWaiting() {
  const waiting = await call('/api/captchas').catch(() => []);
  await chrome.action.setBadgeBackgroundColor({ color: '#b3261e' });
  await chrome.action.setBadgeText({ text: waiting.length > 0 ? String(waiting.length) : '' });
  const ids = waiting.map(({ id }) => id);
  const { told = [] } = await chrome.storage.session.get('told');
  await chrome.storage.session.set({ told: ids });
  const fresh = waiting.filter(({ id }) => !told.includes(id));
  if (fresh.length > 0) await notify(fresh[0]);
  return waiting.length;
}

async function notify({ id, name, host }) {
  await chrome.notifications.create(`captcha-${id}`, {
    type: 'basic',
    iconUrl: '/icons/128.png',
    title: text('captcha_title'),
    message: text('captcha_text', name || host || ''),
  });
}

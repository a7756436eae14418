import { call, text } from './server.js';

const UNITS = ['', 'K', 'M', 'G'];

/** Shows speed and number of the running downloads on the icon, unless captchas are waiting. */
export async function showActivity(waiting) {
  const { active = 0, queued = 0, speed = 0 } = await call('/api/stats').catch(() => ({}));
  const idle = text('name');
  await chrome.action.setTitle({
    title: active > 0 ? text('activity', active, queued, `${short(speed)}B/s`) : idle,
  });
  if (waiting > 0) return;
  await chrome.action.setBadgeBackgroundColor({ color: '#0b7d78' });
  await chrome.action.setBadgeText({ text: active > 0 ? short(speed) || String(active) : '' });
}

/** A number with at most four characters, such as 12M. */
export function short(bytes) {
  let unit = 0;
  let value = bytes;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const shown = unit > 0 && value < 10 ? value.toFixed(1) : String(Math.round(value));
  return value > 0 ? `${shown}${UNITS[unit]}` : '';
}

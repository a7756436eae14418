/** Helpers for the pages of the extension. */
import { text } from './server.js';

export const at = (id) => document.getElementById(id);

export function translate() {
  document.documentElement.lang = chrome.i18n.getUILanguage().slice(0, 2);
  document.title = text('name');
  for (const one of document.querySelectorAll('[data-text]')) {
    one.textContent = text(one.dataset.text);
  }
}

export function say(message, tone) {
  const said = at('said');
  said.textContent = message;
  said.className = tone;
}

import { mount, type Component } from 'svelte';
import './styles/index.css';
import { router } from './router/router.svelte.ts';
import { registerMessages } from './texts/errors.ts';
import { language } from './texts/language.svelte.ts';

export interface Texts {
  messages: object;
  /** Makes the app's Paraglide runtime use the language of the kit. */
  overwriteGetLocale: (read: () => 'de' | 'en') => void;
}

/** Mounts an app in the page's <body>. */
export function start(app: Component, texts: Texts): void {
  registerMessages(texts.messages);
  texts.overwriteGetLocale(() => language.current);
  document.documentElement.lang = language.current;
  router.start();
  mount(app, { target: document.body });
}

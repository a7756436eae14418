import { overwriteGetLocale } from '../paraglide/runtime.js';
import { store, stored } from '../storage.ts';

export const languages = ['de', 'en'] as const;
export type Language = (typeof languages)[number];

const isLanguage = (value: unknown): value is Language => languages.includes(value as Language);

/** Returns the first browser language for which there are texts. */
export function preferred(wanted: readonly string[]): Language {
  return wanted.map((tag) => tag.toLowerCase().split('-')[0]).find(isLanguage) ?? 'en';
}

/** Returns the browser's first tag of this language, such as en-GB. */
export function regional(wanted: Language, tags: readonly string[]): string {
  return tags.find((tag) => tag.toLowerCase().split('-')[0] === wanted) ?? wanted;
}

class LanguageChoice {
  #choice = $state<Language | null>(null);
  #browser = preferred(globalThis.navigator?.languages ?? []);

  constructor() {
    const before = stored('language');
    if (isLanguage(before)) this.#choice = before;
  }

  /** The user's choice; null follows the browser. */
  get choice(): Language | null {
    return this.#choice;
  }

  get current(): Language {
    return this.#choice ?? this.#browser;
  }

  /** The language with the browser's region, which decides how dates and numbers look. */
  get locale(): string {
    return regional(this.current, globalThis.navigator?.languages ?? []);
  }

  choose(choice: Language | null): void {
    this.#choice = choice;
    store('language', choice);
    document.documentElement.lang = this.current;
  }
}

export const language = new LanguageChoice();

// Messages read this state, so every text follows a change of language immediately.
overwriteGetLocale(() => language.current);

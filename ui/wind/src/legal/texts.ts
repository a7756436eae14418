/** Texts written by the admins, in both languages. */
export interface Both {
  de: string;
  en: string;
}

/** Returns the text for a visitor; a text in only one language is shown in both. */
export function textFor(language: 'de' | 'en', { de, en }: Both): string {
  return language === 'de' ? de || en : en || de;
}

/** Splits a text into paragraphs at blank lines; single line breaks are kept. */
export function paragraphs(text: string): string[] {
  return text
    .split(/\n\s*\n/)
    .map((part) => part.trim())
    .filter(Boolean);
}

/** What the admins have written, in both languages. */
export interface Both {
  de: string;
  en: string;
}

/** As a visitor reads it: who has written one language only shows it in both. */
export function shownIn(language: 'de' | 'en', { de, en }: Both): string {
  return language === 'de' ? de || en : en || de;
}

/** An empty line begins a paragraph, a single break stays one. */
export function paragraphs(text: string): string[] {
  return text
    .split(/\n\s*\n/)
    .map((part) => part.trim())
    .filter(Boolean);
}

import type { Setting } from '../types.ts';

/** A text that exists in both languages. */
export interface Pair {
  /** The key without its language. */
  key: string;
  de: Setting;
  en: Setting;
}

/** Settings that are edited on another page. */
const ELSEWHERE = new Set(['ensembles', 'map_postponed_until', 'map_spots', 'map_pinned']);
const ACCOUNTS = new Set(['account_mode', 'favorites_limit']);

export interface Groups {
  accounts: Setting[];
  texts: Pair[];
  /** Settings that only a newer server knows. */
  more: Setting[];
}

export function groupsOf(settings: readonly Setting[]): Groups {
  const byKey = new Map(settings.map((setting) => [setting.key, setting]));
  const texts = settings.flatMap(({ key }) => {
    const stem = key.replace(/_de$/, '');
    const [de, en] = [byKey.get(`${stem}_de`), byKey.get(`${stem}_en`)];
    return stem !== key && de && en ? [{ key: stem, de, en }] : [];
  });
  const paired = new Set(texts.flatMap(({ de, en }) => [de.key, en.key]));
  const others = settings.filter(({ key }) => !paired.has(key) && !ELSEWHERE.has(key));
  return {
    accounts: others.filter(({ key }) => ACCOUNTS.has(key)),
    texts,
    more: others.filter(({ key }) => !ACCOUNTS.has(key)),
  };
}

export const isDefault = (setting: Setting): boolean =>
  JSON.stringify(setting.value) === JSON.stringify(setting.default);

/** Parses a number within its limits; null if invalid. */
export function wholeNumber(text: string, { min, max }: Setting['limits']): number | null {
  const value = Number(text);
  if (!/^\d+$/.test(text.trim()) || !Number.isSafeInteger(value)) return null;
  return value >= (min ?? 0) && value <= (max ?? Number.MAX_SAFE_INTEGER) ? value : null;
}

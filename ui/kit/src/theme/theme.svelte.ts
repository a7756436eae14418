import { store, stored } from '../storage.ts';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const isTheme = (value: string | null): value is Theme => themes.includes(value as Theme);

class ThemeChoice {
  #choice = $state<Theme>('system');

  constructor() {
    const before = stored('theme');
    if (isTheme(before)) this.#choice = before;
  }

  get choice(): Theme {
    return this.#choice;
  }

  choose(theme: Theme): void {
    this.#choice = theme;
    store('theme', theme === 'system' ? null : theme);
    document.documentElement.dataset.theme = theme;
  }
}

export const theme = new ThemeChoice();

import { theme } from '@quartet/kit';
import { MediaQuery } from 'svelte/reactivity';
import type { ThemeName } from './force.ts';

const dark = new MediaQuery('(prefers-color-scheme: dark)');

/** The current theme, for drawing that CSS cannot colour. */
export function currentTheme(): ThemeName {
  if (theme.choice === 'system') return dark.current ? 'dark' : 'light';
  return theme.choice;
}

import { MediaQuery } from 'svelte/reactivity';
import { theme } from './theme.svelte.ts';

let dark: MediaQuery | undefined;

/** The theme that is shown, for drawing that CSS cannot colour. */
export function currentTheme(): 'light' | 'dark' {
  if (theme.choice !== 'system') return theme.choice;
  dark ??= new MediaQuery('(prefers-color-scheme: dark)');
  return dark.current ? 'dark' : 'light';
}

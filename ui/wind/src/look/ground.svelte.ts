import { theme } from '@quartet/kit';
import { MediaQuery } from 'svelte/reactivity';
import type { Ground } from './force.ts';

const dark = new MediaQuery('(prefers-color-scheme: dark)');

/** What the page looks like right now, for what CSS cannot colour. */
export function ground(): Ground {
  if (theme.choice === 'system') return dark.current ? 'dark' : 'light';
  return theme.choice;
}

import type { LucideIcon } from '@lucide/svelte';

/** An icon is always decorative: there is a text next to it or a label around it. */
export type Icon = LucideIcon;

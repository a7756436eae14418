import type { LucideIcon } from '@lucide/svelte';

/** An icon is never alone: it stands beside a text or inside something with a label. */
export type Icon = LucideIcon;

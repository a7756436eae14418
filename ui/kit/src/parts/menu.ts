import type { Icon } from '../icon.ts';

export interface MenuItem {
  label: string;
  icon?: Icon;
  /** Set for choices of which one holds. */
  checked?: boolean;
  run: () => void;
}

export interface MenuGroup {
  label?: string;
  items: MenuItem[];
}

import type { Icon } from '../icon.ts';

export interface MenuItem {
  label: string;
  icon?: Icon;
  /** Set for radio items. */
  checked?: boolean;
  run: () => void;
}

export interface MenuGroup {
  label?: string;
  items: MenuItem[];
}

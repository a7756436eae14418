import BookOpen from '@lucide/svelte/icons/book-open';
import Keyboard from '@lucide/svelte/icons/keyboard';
import Languages from '@lucide/svelte/icons/languages';
import LogOut from '@lucide/svelte/icons/log-out';
import Moon from '@lucide/svelte/icons/moon';
import Sun from '@lucide/svelte/icons/sun';
import SunMoon from '@lucide/svelte/icons/sun-moon';
import * as m from '../paraglide/messages.js';
import type { MenuGroup, MenuItem } from '../parts/menu.ts';
import { router } from '../router/router.svelte.ts';
import { language, type Language } from '../texts/language.svelte.ts';
import { theme, type Theme } from '../theme/theme.svelte.ts';
import type { Account, Command, Route } from './app.ts';

const themeIcons = { system: SunMoon, light: Sun, dark: Moon };

export function themeOptions(): { value: Theme; label: string }[] {
  return [
    { value: 'system', label: m.theme_system() },
    { value: 'light', label: m.theme_light() },
    { value: 'dark', label: m.theme_dark() },
  ];
}

/** An empty value follows the browser. */
export function languageOptions(): { value: Language | ''; label: string }[] {
  return [
    { value: '', label: m.language_browser() },
    { value: 'de', label: m.language_de() },
    { value: 'en', label: m.language_en() },
  ];
}

/** Language and theme, for every menu. */
export function lookGroups(): MenuGroup[] {
  return [
    {
      label: m.language(),
      items: languageOptions().map(({ value, label }) => ({
        label,
        checked: (language.choice ?? '') === value,
        run: () => language.choose(value || null),
      })),
    },
    {
      label: m.theme(),
      items: themeOptions().map(({ value, label }) => ({
        label,
        icon: themeIcons[value],
        checked: theme.choice === value,
        run: () => theme.choose(value),
      })),
    },
  ];
}

export function menuGroups(
  account: Account | undefined,
  showHelp: () => void,
  entries: MenuItem[] = [],
): MenuGroup[] {
  const more: MenuGroup = {
    items: [
      ...entries,
      { label: m.keyboard_help(), icon: Keyboard, run: showHelp },
      { label: m.api_docs(), icon: BookOpen, run: openDocs },
    ],
  };
  if (account) more.items.push({ label: m.sign_out(), icon: LogOut, run: account.signOut });
  const user = account?.user ? m.signed_in_as({ user: account.user }) : undefined;
  return [...lookGroups(), { ...more, label: user }];
}

export function shellCommands(
  routes: Route[],
  account: Account | undefined,
  showHelp: () => void,
  entries: MenuItem[] = [],
): Command[] {
  const pages = routes.flatMap((route) =>
    route.icon
      ? [{ label: route.title(), icon: route.icon, run: () => router.go(route.path) }]
      : [],
  );
  const looks = lookGroups().flatMap((group) =>
    group.items.map((item) => ({
      label: `${group.label}: ${item.label}`,
      icon: item.icon ?? Languages,
      run: item.run,
    })),
  );
  const more = menuGroups(account, showHelp, entries)
    .at(-1)!
    .items.map((item) => ({ label: item.label, icon: item.icon ?? Keyboard, run: item.run }));
  return [
    ...pages.map((command) => ({ ...command, group: m.group_pages() })),
    ...looks.map((command) => ({ ...command, group: m.group_look() })),
    ...more.map((command) => ({ ...command, group: m.group_more() })),
  ];
}

function openDocs(): void {
  location.assign(router.href('/api/docs/'));
}

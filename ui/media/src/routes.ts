import FolderClock from '@lucide/svelte/icons/folder-clock';
import FolderPen from '@lucide/svelte/icons/folder-pen';
import Gauge from '@lucide/svelte/icons/gauge';
import History from '@lucide/svelte/icons/history';
import House from '@lucide/svelte/icons/house';
import Inbox from '@lucide/svelte/icons/inbox';
import ScrollText from '@lucide/svelte/icons/scroll-text';
import SlidersHorizontal from '@lucide/svelte/icons/sliders-horizontal';
import TextCursorInput from '@lucide/svelte/icons/text-cursor-input';
import UserRound from '@lucide/svelte/icons/user-round';
import { kitTexts, type Route } from '@quartet/kit';
import { dashboardLoader } from './data/dashboard.ts';
import * as m from './paraglide/messages.js';

export const routes: Route[] = [
  {
    path: '/',
    title: m.dashboard,
    icon: House,
    wide: true,
    load: () => import('./pages/Dashboard.svelte'),
  },
  {
    path: '/rename',
    title: m.rename,
    icon: FolderPen,
    wide: true,
    load: () => import('./pages/Rename.svelte'),
  },
  {
    path: '/inbox',
    title: m.inbox,
    icon: Inbox,
    badge: () => dashboardLoader.value?.inbox ?? 0,
    urgent: true,
    wide: true,
    load: () => import('./pages/Inbox.svelte'),
  },
  {
    path: '/history',
    title: m.history,
    icon: History,
    wide: true,
    load: () => import('./pages/History.svelte'),
  },
  {
    path: '/watch',
    title: m.watch,
    icon: FolderClock,
    load: () => import('./pages/Watch.svelte'),
  },
  {
    path: '/formats',
    title: m.formats,
    short: m.formats_short,
    icon: TextCursorInput,
    load: () => import('./pages/Formats.svelte'),
  },
  {
    path: '/settings',
    title: kitTexts.settings,
    icon: SlidersHorizontal,
    load: () => import('./pages/Settings.svelte'),
  },
  {
    path: '/system',
    title: m.system,
    icon: Gauge,
    load: () => import('./pages/System.svelte'),
  },
  {
    path: '/audit',
    title: kitTexts.audit,
    short: kitTexts.audit_short,
    icon: ScrollText,
    wide: true,
    load: () => import('./pages/Audit.svelte'),
  },
  {
    path: '/account',
    title: kitTexts.account,
    icon: UserRound,
    load: () => import('./pages/Account.svelte'),
  },
  // The page had this path before; bookmarks and links in notifications still lead to it.
  {
    path: '/workbench',
    title: m.rename,
    wide: true,
    load: () => import('./pages/Rename.svelte'),
  },
];

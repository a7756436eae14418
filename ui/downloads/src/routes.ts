import FolderCheck from '@lucide/svelte/icons/folder-check';
import Gauge from '@lucide/svelte/icons/gauge';
import History from '@lucide/svelte/icons/history';
import Inbox from '@lucide/svelte/icons/inbox';
import KeyRound from '@lucide/svelte/icons/key-round';
import ListFilter from '@lucide/svelte/icons/list-filter';
import ListOrdered from '@lucide/svelte/icons/list-ordered';
import MessageCircleQuestionMark from '@lucide/svelte/icons/message-circle-question-mark';
import Plug from '@lucide/svelte/icons/plug';
import Rss from '@lucide/svelte/icons/rss';
import ScrollText from '@lucide/svelte/icons/scroll-text';
import SlidersHorizontal from '@lucide/svelte/icons/sliders-horizontal';
import UserRound from '@lucide/svelte/icons/user-round';
import { kitTexts, type Route } from '@quartet/kit';
import { questions } from './data/questions.svelte.ts';
import { stats } from './data/stats.ts';
import * as m from './paraglide/messages.js';

export const routes: Route[] = [
  {
    path: '/',
    title: m.queue,
    icon: ListOrdered,
    wide: true,
    load: () => import('./pages/Queue.svelte'),
  },
  {
    path: '/grabber',
    title: m.grabber,
    icon: Inbox,
    badge: () => stats.value?.collected ?? 0,
    wide: true,
    load: () => import('./pages/Grabber.svelte'),
  },
  {
    path: '/captchas',
    title: m.captchas,
    icon: MessageCircleQuestionMark,
    badge: () => questions.list.length,
    urgent: true,
    load: () => import('./pages/Captchas.svelte'),
  },
  {
    path: '/done',
    title: m.done,
    icon: FolderCheck,
    wide: true,
    load: () => import('./pages/Done.svelte'),
  },
  {
    path: '/history',
    title: m.history,
    icon: History,
    wide: true,
    load: () => import('./pages/History.svelte'),
  },
  {
    path: '/rules',
    title: m.rules,
    icon: ListFilter,
    load: () => import('./pages/Rules.svelte'),
  },
  {
    path: '/feeds',
    title: m.feeds,
    icon: Rss,
    load: () => import('./pages/Feeds.svelte'),
  },
  {
    path: '/accounts',
    title: m.accounts,
    icon: KeyRound,
    load: () => import('./pages/Accounts.svelte'),
  },
  {
    path: '/plugins',
    title: m.plugins,
    icon: Plug,
    load: () => import('./pages/Plugins.svelte'),
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
];

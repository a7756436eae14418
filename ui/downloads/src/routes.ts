import Gauge from '@lucide/svelte/icons/gauge';
import Inbox from '@lucide/svelte/icons/inbox';
import ListOrdered from '@lucide/svelte/icons/list-ordered';
import SlidersHorizontal from '@lucide/svelte/icons/sliders-horizontal';
import UserRound from '@lucide/svelte/icons/user-round';
import { kitTexts, type Route } from '@quartet/kit';
import { stats } from './data/stats.svelte.ts';
import * as m from './paraglide/messages.js';

export const routes: Route[] = [
  {
    path: '/',
    title: m.queue,
    icon: ListOrdered,
    load: () => import('./pages/Queue.svelte'),
  },
  {
    path: '/grabber',
    title: m.grabber,
    icon: Inbox,
    badge: () => stats.value?.collected ?? 0,
    load: () => import('./pages/Grabber.svelte'),
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
    path: '/account',
    title: kitTexts.account,
    icon: UserRound,
    load: () => import('./pages/Account.svelte'),
  },
];

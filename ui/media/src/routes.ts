import Gauge from '@lucide/svelte/icons/gauge';
import UserRound from '@lucide/svelte/icons/user-round';
import { kitTexts, type Route } from '@quartet/kit';

export const routes: Route[] = [
  {
    path: '/',
    title: kitTexts.overview,
    icon: Gauge,
    load: () => import('./pages/Overview.svelte'),
  },
  {
    path: '/account',
    title: kitTexts.account,
    icon: UserRound,
    load: () => import('./pages/Account.svelte'),
  },
];

import Gauge from '@lucide/svelte/icons/gauge';
import Settings from '@lucide/svelte/icons/settings';
import { kitTexts, type Route } from '@quartet/kit';

export const routes: Route[] = [
  {
    path: '/',
    title: kitTexts.overview,
    icon: Gauge,
    load: () => import('./pages/Overview.svelte'),
  },
  {
    path: '/settings',
    title: kitTexts.settings,
    icon: Settings,
    load: () => import('./pages/Settings.svelte'),
  },
];

import Gauge from '@lucide/svelte/icons/gauge';
import MapIcon from '@lucide/svelte/icons/map';
import Search from '@lucide/svelte/icons/search';
import Settings from '@lucide/svelte/icons/settings';
import { kitTexts, type Route } from '@quartet/kit';
import { here } from './data/here.svelte.ts';
import * as m from './paraglide/messages.js';

export const routes: Route[] = [
  {
    path: '/',
    title: m.search,
    icon: Search,
    load: () => import('./pages/Start.svelte'),
  },
  {
    path: '/map',
    title: m.map,
    icon: MapIcon,
    load: () => import('./pages/Map.svelte'),
  },
  {
    path: '/status',
    title: m.sources,
    icon: Gauge,
    load: () => import('./pages/Status.svelte'),
  },
  {
    path: '/settings',
    title: kitTexts.settings,
    icon: Settings,
    load: () => import('./pages/Settings.svelte'),
  },
  {
    path: '/station/:slug',
    title: () => here.name || m.station(),
    load: () => import('./pages/Station.svelte'),
  },
  {
    path: '/point',
    title: () => here.name || m.point(),
    load: () => import('./pages/Point.svelte'),
  },
];

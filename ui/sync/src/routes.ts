import Activity from '@lucide/svelte/icons/activity';
import Gauge from '@lucide/svelte/icons/gauge';
import Grid3x3 from '@lucide/svelte/icons/grid-3x3';
import HistoryIcon from '@lucide/svelte/icons/history';
import LayoutDashboard from '@lucide/svelte/icons/layout-dashboard';
import ScrollText from '@lucide/svelte/icons/scroll-text';
import SlidersHorizontal from '@lucide/svelte/icons/sliders-horizontal';
import { kitTexts, type Route } from '@quartet/kit';
import { fleet } from './data/fleet.svelte.ts';
import { openCount } from './data/health.ts';
import { draft } from './matrix/draft.svelte.ts';
import * as m from './paraglide/messages.js';

const routes: Route[] = [
  {
    path: '/',
    title: kitTexts.overview,
    icon: LayoutDashboard,
    badge: () =>
      fleet.overview ? openCount(fleet.overview, fleet.allPlaced, fleet.status.hub) : 0,
    urgent: true,
    wide: true,
    load: () => import('./pages/Overview.svelte'),
  },
  {
    path: '/sharing',
    title: m.sharing,
    icon: Grid3x3,
    badge: () => draft.count,
    wide: true,
    load: () => import('./pages/Sharing.svelte'),
  },
  {
    path: '/activity',
    title: m.activity,
    icon: Activity,
    wide: true,
    load: () => import('./pages/Activity.svelte'),
  },
  {
    path: '/history',
    title: m.history,
    icon: HistoryIcon,
    load: () => import('./pages/History.svelte'),
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
  { path: '/devices/:id', title: m.device, load: () => import('./pages/Device.svelte') },
  { path: '/folders/:id', title: m.folder, load: () => import('./pages/Folder.svelte') },
  { path: '/folders/:id/files', title: m.files, load: () => import('./pages/Files.svelte') },
];

const ADMIN_PATHS = ['/sharing', '/history', '/system', '/audit'];

/** The pages that a person may see. */
export const routesFor = (admin: boolean): Route[] =>
  admin ? routes : routes.filter(({ path }) => !ADMIN_PATHS.includes(path));

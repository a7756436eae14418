import CircleUserRound from '@lucide/svelte/icons/circle-user-round';
import Gauge from '@lucide/svelte/icons/gauge';
import MapIcon from '@lucide/svelte/icons/map';
import Sailboat from '@lucide/svelte/icons/sailboat';
import Search from '@lucide/svelte/icons/search';
import Settings from '@lucide/svelte/icons/settings';
import Star from '@lucide/svelte/icons/star';
import { kitTexts, type Route } from '@quartet/kit';
import { adminRoutes } from './admin/routes.ts';
import { subject } from './data/subject.svelte.ts';
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
    full: true,
    load: () => import('./pages/Map.svelte'),
  },
  {
    path: '/spots',
    title: m.my_spots,
    icon: Star,
    wide: true,
    load: () => import('./pages/Spots.svelte'),
  },
  {
    path: '/gear',
    title: m.gear,
    icon: Sailboat,
    load: () => import('./pages/Gear.svelte'),
  },
  {
    path: '/account',
    title: kitTexts.account,
    icon: CircleUserRound,
    load: () => import('./pages/Account.svelte'),
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
    title: () => subject.name || m.station(),
    wide: true,
    load: () => import('./pages/Station.svelte'),
  },
  {
    path: '/point',
    title: () => subject.name || m.point(),
    wide: true,
    load: () => import('./pages/Point.svelte'),
  },
  {
    path: '/spots/:id',
    title: () => subject.name || m.spot(),
    wide: true,
    load: () => import('./pages/Spot.svelte'),
  },
  {
    path: '/verification',
    title: m.verification,
    load: () => import('./pages/Verification.svelte'),
  },
  {
    path: '/verification/:slug',
    title: () => subject.name || m.verification(),
    load: () => import('./pages/Verification.svelte'),
  },
  { path: '/sign-in', title: m.sign_in, load: () => import('./pages/SignIn.svelte') },
  { path: '/sign-up', title: m.sign_up, load: () => import('./pages/SignUp.svelte') },
  { path: '/confirm', title: m.confirm_title, load: () => import('./pages/Confirm.svelte') },
  { path: '/forgot', title: m.forgot_title, load: () => import('./pages/Forgot.svelte') },
  { path: '/reset', title: m.reset_title, load: () => import('./pages/Reset.svelte') },
  { path: '/recovery', title: m.recovery_title, load: () => import('./pages/Recovery.svelte') },
  { path: '/unsubscribe', title: m.unsubscribe, load: () => import('./pages/Unsubscribe.svelte') },
  { path: '/imprint', title: m.imprint, load: () => import('./pages/Imprint.svelte') },
  { path: '/privacy', title: m.privacy, load: () => import('./pages/Privacy.svelte') },
  { path: '/attribution', title: m.attribution, load: () => import('./pages/Attribution.svelte') },
  ...adminRoutes,
];

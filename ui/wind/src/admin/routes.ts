import ShieldCheck from '@lucide/svelte/icons/shield-check';
import type { Icon, Route } from '@quartet/kit';
import { router } from '@quartet/kit';
import { signedIn } from '../data/me.svelte.ts';
import * as m from '../paraglide/messages.js';
import { findSection } from './sections.ts';

const load: Route['load'] = () => import('./Admin.svelte');

/** The title tells the section as well; it is the last part of the address. */
function title(): string {
  const found = findSection(router.path.split('/')[2] ?? '');
  return found?.id ? `${m.admin()}: ${found.title()}` : m.admin();
}

/** In the navigation it stands for admins alone; the server refuses all others anyway. */
export const adminRoutes: Route[] = [
  {
    path: '/admin',
    title: m.admin,
    get icon(): Icon | undefined {
      return signedIn.me?.role === 'admin' ? ShieldCheck : undefined;
    },
    load,
  },
  { path: '/admin/:section', title, load },
];

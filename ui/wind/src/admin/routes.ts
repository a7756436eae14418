import ShieldCheck from '@lucide/svelte/icons/shield-check';
import type { Icon, Route } from '@quartet/kit';
import { router } from '@quartet/kit';
import { signedIn } from '../data/me.svelte.ts';
import * as m from '../paraglide/messages.js';
import { findSection } from './sections.ts';

const load: Route['load'] = () => import('./Admin.svelte');

/** The title contains the section, which is the last part of the address. */
function title(): string {
  const found = findSection(router.path.split('/')[2] ?? '');
  return found?.id ? `${m.admin()}: ${found.title()}` : m.admin();
}

/** Only admins see it in the navigation; the server rejects everyone else. */
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

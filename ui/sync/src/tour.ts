import type { TourStep } from '@quartet/kit';
import { isAdmin } from './data/access.ts';
import * as m from './paraglide/messages.js';

const STEPS: TourStep[] = [
  {
    title: m.tour_pair_title,
    text: m.tour_pair_text,
    path: '/',
    target: 'main-action',
  },
  {
    title: m.tour_matrix_title,
    text: m.tour_matrix_text,
    path: '/sharing',
    target: 'matrix',
  },
  {
    title: m.tour_star_title,
    text: m.tour_star_text,
    path: '/',
    target: 'star',
  },
  {
    title: m.tour_folders_title,
    text: m.tour_folders_text,
    path: '/',
    target: 'folders',
  },
  {
    title: m.tour_history_title,
    text: m.tour_history_text,
    path: '/history',
    target: 'history',
  },
];

/** What other people do not have on their pages. */
const ADMIN_TARGETS = new Set(['main-action', 'matrix', 'history']);

export const tourSteps = (): TourStep[] =>
  isAdmin() ? STEPS : STEPS.filter(({ target }) => !ADMIN_TARGETS.has(target ?? ''));

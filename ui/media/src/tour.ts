import type { TourStep } from '@quartet/kit';
import * as m from './paraglide/messages.js';

export const tourSteps = (): TourStep[] => [
  {
    title: m.tour_files_title,
    text: m.tour_files_text,
    path: '/rename',
    target: 'files',
  },
  {
    title: m.tour_preview_title,
    text: m.tour_preview_text,
    path: '/rename',
    target: 'preview',
  },
  {
    title: m.tour_match_title,
    text: m.tour_match_text,
    path: '/inbox',
    target: 'inbox',
  },
  {
    title: m.tour_watch_title,
    text: m.tour_watch_text,
    path: '/watch',
    target: 'watch',
  },
  {
    title: m.tour_history_title,
    text: m.tour_history_text,
    path: '/history',
    target: 'history',
  },
];

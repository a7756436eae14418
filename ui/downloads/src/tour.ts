import type { TourStep } from '@quartet/kit';
import * as m from './paraglide/messages.js';

export const tourSteps = (): TourStep[] => [
  {
    title: m.tour_add_title,
    text: m.tour_add_text,
    path: '/',
    target: 'main-action',
  },
  {
    title: m.tour_queue_title,
    text: m.tour_queue_text,
    path: '/',
    target: 'queue',
  },
  {
    title: m.tour_grabber_title,
    text: m.tour_grabber_text,
    path: '/grabber',
    target: 'grabber',
  },
  {
    title: m.tour_captchas_title,
    text: m.tour_captchas_text,
    path: '/captchas',
    target: 'captchas',
  },
  {
    title: m.tour_clients_title,
    text: m.tour_clients_text,
    path: '/settings',
    target: 'clients',
  },
];

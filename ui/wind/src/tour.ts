import type { TourStep } from '@quartet/kit';
import * as m from './paraglide/messages.js';

export const tourSteps = (): TourStep[] => [
  {
    title: m.tour_search_title,
    text: m.tour_search_text,
    path: '/',
    target: 'search',
  },
  {
    title: m.tour_map_title,
    text: m.tour_map_text,
    path: '/map',
    target: 'map',
  },
  {
    title: m.tour_spot_title,
    text: m.tour_spot_text,
    path: '/spots',
    target: 'spot',
  },
  {
    title: m.tour_alert_title,
    text: m.tour_alert_text,
    path: '/spots',
    target: 'alert',
  },
  {
    title: m.tour_verification_title,
    text: m.tour_verification_text,
    path: '/verification',
    target: 'verification',
  },
];

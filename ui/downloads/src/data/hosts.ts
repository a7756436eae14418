import * as m from '../paraglide/messages.js';
import type { Download } from './types.ts';

/** The host of a download as it is shown; that of a torrent only identifies it. */
export const hostText = ({ host }: Download): string =>
  host.startsWith('torrent:') ? m.torrent() : host;

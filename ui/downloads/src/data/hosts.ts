import * as m from '../paraglide/messages.js';

/** Whether a host stands for a torrent; the history does not say for which one. */
export const isTorrent = (host: string): boolean =>
  host === 'torrent' || host.startsWith('torrent:');

/** The host of a download as it is shown; that of a torrent only identifies it. */
export const hostText = (host: string): string => (isTorrent(host) ? m.torrent() : host);

const ADDRESS = /^[\d.]+$|:/;
/** Endings such as `co` in `co.uk`, below which domains are registered. */
const SECOND_LEVEL = new Set(['ac', 'co', 'com', 'edu', 'gov', 'ne', 'net', 'or', 'org']);

/** The registered domain, as far as it can be told without a list of all public endings. */
export function domainOf(host: string): string {
  if (ADDRESS.test(host)) return host;
  const labels = host.split('.');
  const [second = '', top = ''] = labels.slice(-2);
  const length = top.length === 2 && SECOND_LEVEL.has(second) ? 3 : 2;
  return labels.slice(-length).join('.');
}

/** The letter on the tile of a host without an icon. */
export function letterOf(host: string): string {
  const found = /[\p{L}\p{N}]/u.exec(domainOf(host));
  return found ? found[0].toLocaleUpperCase() : '?';
}

/** The hue of its tile: always the same for a domain, in degrees. */
export function hueOf(host: string): number {
  let hash = 0;
  for (const character of domainOf(host)) hash = (hash * 31 + character.charCodeAt(0)) % 65_521;
  return hash % 360;
}

import * as m from '../paraglide/messages.js';

/** How many days earlier versions are kept; 0 keeps them for ever. */
export const keptText = (days: number): string =>
  days === 0 ? m.versions_text_always() : m.versions_text({ count: days });

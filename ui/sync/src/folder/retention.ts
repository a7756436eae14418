import * as m from '../paraglide/messages.js';

/** How long earlier versions are kept; 0 means forever. */
export const retentionText = (days: number): string =>
  days === 0 ? m.versions_text_always() : m.versions_text({ count: days });

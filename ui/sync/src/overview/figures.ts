import { bytes } from '@quartet/kit';
import type { CombinedProgress } from '../data/progress.ts';
import * as m from '../paraglide/messages.js';

/** "12 files left · 3 MB", or that everything is up to date. */
export function bytesToGo({ needItems, needBytes, share }: CombinedProgress): string {
  if (needItems === 0) return share === undefined ? m.state_unknown() : m.state_ready();
  const count = m.state_to_go({ count: needItems });
  return needBytes > 0 ? `${count} · ${bytes(needBytes)}` : count;
}

import { codeText } from '@quartet/kit';
import type { JobItem } from '../data/types.ts';
import { textOf } from '../data/labels.ts';
import * as m from '../paraglide/messages.js';

/** Reasons for the confidence of a match, and why a file is not ready. */
export function reasonTexts(item: JobItem): string[] {
  const reasons = item.reasons.length > 0 ? item.reasons : (item.match?.reasons ?? []);
  const texts = reasons.map((reason) => textOf('reason', reason));
  if (item.conflict === 'duplicate') texts.push(m.conflict_duplicate());
  if (item.conflict === 'exists') texts.push(m.conflict_exists());
  if (item.error) texts.push(codeText(item.error.code, item.error.inputs));
  return [...new Set(texts)];
}

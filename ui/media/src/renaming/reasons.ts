import { codeText } from '@quartet/kit';
import type { JobItem } from '../data/types.ts';
import { textOf } from '../data/labels.ts';
import * as m from '../paraglide/messages.js';

/** Reasons for the confidence of a match, and why a file is not ready. */
export function reasonTexts(item: JobItem): string[] {
  const reasons = item.reasons.length > 0 ? item.reasons : (item.match?.reasons ?? []);
  const texts = reasons.map((reason) => textOf('reason', reason));
  if (item.conflict === 'duplicate' && !reasons.includes('duplicate_target'))
    texts.push(m.conflict_duplicate());
  if (item.conflict === 'exists') texts.push(m.conflict_exists());
  if (item.error) texts.push(codeText(item.error.code, item.error.inputs));
  return [...new Set(texts)];
}

/** Why files failed or were skipped, each cause once with the number of its other files. */
export function causesOf(items: readonly JobItem[]): string[] {
  const found = new Map<string, { text: string; more: number }>();
  for (const { state, error } of items) {
    if (!error || !['failed', 'skipped'].includes(state)) continue;
    const known = found.get(error.code);
    if (known) known.more++;
    else found.set(error.code, { text: codeText(error.code, error.inputs), more: 0 });
  }
  return [...found.values()].map(({ text, more }) =>
    more > 0 ? m.rename_cause_more({ text, count: more }) : text,
  );
}

import { codeText, toasts } from '@quartet/kit';
import type { components } from '../api.d.ts';
import * as m from '../paraglide/messages.js';

/** Shows how many files were undone, and why others were not. */
export function showUndoResult({ undone, failed }: components['schemas']['Undone']): void {
  const [first] = failed;
  if (undone > 0 || !first) toasts.show(m.undone_count({ count: undone }));
  if (!first) return;
  const reason = codeText(first.code, first.inputs);
  toasts.show(m.undone_failed({ count: failed.length, reason }));
}

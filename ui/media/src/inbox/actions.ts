import { body, toasts, attempt } from '@quartet/kit';
import * as m from '../paraglide/messages.js';
import { api } from '../service.ts';

/** Approves these items, or all with at least this confidence. */
export function approve(given: { itemIds?: number[]; minConfidence?: number }): Promise<boolean> {
  return attempt(async () => {
    const { approved, refused } = await body(api.POST('/api/inbox/approve', { body: given }));
    if (approved > 0 || refused === 0) toasts.show(m.inbox_approved({ count: approved }));
    if (refused > 0) toasts.show(m.inbox_refused({ count: refused }));
  });
}

export function reject(itemIds: number[]): Promise<boolean> {
  return attempt(async () => {
    const { rejected } = await body(api.POST('/api/inbox/reject', { body: { itemIds } }));
    toasts.show(m.inbox_rejected({ count: rejected }));
  });
}

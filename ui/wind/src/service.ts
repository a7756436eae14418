import { BrowserPush, createApi } from '@quartet/kit';
import { recentCheck } from './account/recentCheck.svelte.ts';
import type { paths } from './api.d.ts';
import { signedIn } from './data/me.svelte.ts';
import { offline } from './data/offline.svelte.ts';

export const api = createApi<paths>({ signedOut: () => signedIn.leave() });
export const push = new BrowserPush(api, 'wind');

api.use({ onResponse: ({ response }) => offline.check(response) });

// Requests that may have to be repeated; the body of the sent one can be read only once.
const sent = new Map<string, Request>();

api.use({
  onRequest({ request, id }) {
    if (request.method !== 'GET') sent.set(id, request.clone());
  },
  async onResponse({ response, id }) {
    const request = sent.get(id);
    sent.delete(id);
    if (!request || response.status !== 403) return;
    const answer = (await response.clone().json()) as { code?: string };
    if (answer.code !== 'recent_check_required' || !(await recentCheck.ask())) return;
    return globalThis.fetch(request);
  },
  onError({ id }) {
    sent.delete(id);
  },
});

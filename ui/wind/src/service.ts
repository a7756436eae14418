import { ApiError, BrowserPush, createApi, router } from '@quartet/kit';
import { recentCheck } from './account/recentCheck.svelte.ts';
import type { paths } from './api.d.ts';
import { signedIn } from './data/me.svelte.ts';
import { offline } from './data/offline.svelte.ts';

export const api = createApi<paths>({ signedOut: () => signedIn.leave() });
export const push = new BrowserPush(api, 'wind');

const get = api.GET as (...given: unknown[]) => unknown;
api.GET = ((...given: unknown[]) => {
  offline.reloadOnReturn();
  return get(...given);
}) as typeof api.GET;

// The pages that have sent requests, which may be answered on the next page.
const askers = new Map<string, string>();

api.use({
  onRequest({ id }) {
    askers.set(id, router.path);
  },
  onResponse({ request, response, id }) {
    offline.check(request.url, response, askers.get(id) ?? '');
    askers.delete(id);
  },
  onError({ error, id }) {
    askers.delete(id);
    if (!(error instanceof ApiError)) offline.fail();
  },
});

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

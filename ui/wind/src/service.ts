import { createApi } from '@quartet/kit';
import type { paths } from './api.d.ts';
import { signedIn } from './data/me.svelte.ts';
import { offline } from './data/offline.svelte.ts';

export const api = createApi<paths>({ signedOut: () => signedIn.leave() });

api.use({ onResponse: ({ response }) => offline.check(response) });

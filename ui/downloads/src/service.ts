import { type Api, body, BrowserPush, createApi, Live, serverEvents, Session } from '@quartet/kit';
import type { paths } from './api.d.ts';

export const session = new Session(() => body(api.GET('/api/auth/state')));
export const api: Api<paths> = createApi({ signedOut: () => session.ended() });
export const push = new BrowserPush(api, 'downloads');
export const live = new Live(serverEvents(), () => void session.check());

export async function signOut(): Promise<void> {
  await api.POST('/api/auth/logout');
  await session.check();
}

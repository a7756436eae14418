import { type Api, body, BrowserPush, createApi, Live, serverEvents, Session } from '@quartet/kit';
import type { paths } from './api.d.ts';

/** Without a token the server needs no sign-in. */
async function load() {
  const state = await body(api.GET('/api/session'));
  return { ...state, loggedIn: state.loggedIn || !state.loginRequired };
}

export const session = new Session(load);
export const api: Api<paths> = createApi({ signedOut: () => session.ended() });
export const push = new BrowserPush(api, 'media');
export const live = new Live(serverEvents(), () => void session.check());

export async function signOut(): Promise<void> {
  await api.POST('/api/logout');
  await session.check();
}

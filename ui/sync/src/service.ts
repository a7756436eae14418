import { type Api, body, BrowserPush, createApi, Live, Session, webSocket } from '@quartet/kit';
import type { paths } from './api.d.ts';

export const session = new Session(() => body(api.GET('/api/session')));
export const api: Api<paths> = createApi({
  signedOut: () => session.ended(),
  changeHeaders: (): Record<string, string> => {
    const token = session.state?.csrfToken;
    return token ? { 'X-CSRF-Token': token } : {};
  },
});
export const push = new BrowserPush(api, 'sync');
export const live = new Live(webSocket(), () => void session.check());

export async function signOut(): Promise<void> {
  // The page that ends the session at the sign-in provider as well.
  const page = session.state?.connected
    ? (await body(api.POST('/api/oidc/logout'))).url
    : undefined;
  await api.POST('/api/logout');
  if (page) location.assign(page);
  else await session.check();
}

import { type Api, body, createApi, Live, Session, webSocket } from '@quartet/kit';
import type { paths } from './api.d.ts';

export const session = new Session(() => body(api.GET('/api/session')));
export const api: Api<paths> = createApi({
  signedOut: () => session.ended(),
  changeHeaders: (): Record<string, string> => {
    const token = session.state?.csrfToken;
    return token ? { 'X-CSRF-Token': token } : {};
  },
});
export const live = new Live(webSocket(), () => void session.check());

export async function signOut(): Promise<void> {
  await api.POST('/api/logout');
  await session.check();
}

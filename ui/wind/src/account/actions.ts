import { ApiError, body, errorText, router, toasts } from '@quartet/kit';
import { tick } from 'svelte';
import { signedIn } from '../data/me.svelte.ts';
import * as m from '../paraglide/messages.js';
import { api, push } from '../service.ts';

let asking: Promise<void> | undefined;

/** Loads the signed-in user, once for all callers; the app waits for it. */
export function loadUser(): Promise<void> {
  asking ??= ask().finally(() => (asking = undefined));
  return asking;
}

/**
 * Loads the user again after a change, because an answer under way may be older than the change.
 */
export async function reloadUser(): Promise<void> {
  await asking?.catch(() => undefined);
  await loadUser();
}

async function ask(): Promise<void> {
  const { changes } = signedIn;
  // Most visitors have no account, and their pages should not start with a rejected request.
  if (!signedIn.remembered && !(await hasSession())) {
    if (changes === signedIn.changes) signedIn.leave();
    return;
  }
  try {
    const me = await body(api.GET('/api/me'));
    if (changes === signedIn.changes) signedIn.enter(me);
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) signedIn.leave();
    else throw error;
  }
}

/** The session cookie cannot be read here, so the server is asked. */
async function hasSession(): Promise<boolean> {
  return (await body(api.GET('/api/auth/session'))).signedIn;
}

/** Removes the push subscription: a signed-out browser must not receive notifications. */
export async function signOut(): Promise<void> {
  try {
    await push.forget();
    await api.POST('/api/auth/signout');
  } catch (error) {
    return toasts.show(errorText(error));
  }
  await leave(m.signed_out_now());
}

export async function deleteAccount(): Promise<void> {
  await api.DELETE('/api/me');
  await push.forget();
  await leave(m.account_deleted());
}

/** Leaves the page first: a page of the account would ask to sign in again. */
async function leave(text: string): Promise<void> {
  router.go('/');
  await tick();
  signedIn.leave();
  toasts.show(text);
}

export async function exportData(): Promise<void> {
  const everything = await body(api.GET('/api/me/export'));
  const file = new Blob([JSON.stringify(everything, null, 2)], { type: 'application/json' });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = 'wind-account.json';
  link.click();
  URL.revokeObjectURL(link.href);
}

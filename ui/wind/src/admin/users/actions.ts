import { body, router } from '@quartet/kit';
import { api } from '../../service.ts';
import type { RecoveryLink, Role, User } from '../types.ts';

const of = (user: number) => ({ params: { path: { user } } });

export const disable = (user: number): Promise<User> =>
  body(api.POST('/api/admin/users/{user}/disable', of(user)));

export const enable = (user: number): Promise<User> =>
  body(api.POST('/api/admin/users/{user}/enable', of(user)));

export const signOut = (user: number): Promise<User> =>
  body(api.POST('/api/admin/users/{user}/signout', of(user)));

export const confirmEmail = (user: number): Promise<User> =>
  body(api.POST('/api/admin/users/{user}/confirm-email', of(user)));

export const setRole = (user: number, role: Role): Promise<User> =>
  body(api.PUT('/api/admin/users/{user}/role', { ...of(user), body: { role } }));

export const resetLink = (user: number): Promise<RecoveryLink> =>
  body(api.POST('/api/admin/users/{user}/reset-link', of(user)));

export async function remove(user: number): Promise<void> {
  await api.DELETE('/api/admin/users/{user}', of(user));
}

/** Downloads the export; the server chooses the file name. */
export function download(user: number): void {
  location.assign(router.href(`/api/admin/users/${user}/export`));
}

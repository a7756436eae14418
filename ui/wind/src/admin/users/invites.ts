import type { Invite } from '../types.ts';

export type InviteState = 'open' | 'used' | 'expired';

export function inviteState(
  invite: Pick<Invite, 'usedAt' | 'expiresAt'>,
  now: number,
): InviteState {
  if (invite.usedAt !== null) return 'used';
  return invite.expiresAt <= now ? 'expired' : 'open';
}

import type { Tone } from '@quartet/kit';
import type { Account } from '../data/types.ts';
import * as m from '../paraglide/messages.js';

const STATES: Record<Account['status'], { word: () => string; tone: Tone }> = {
  unchecked: { word: m.account_unchecked, tone: 'idle' },
  checking: { word: m.account_checking, tone: 'active' },
  valid: { word: m.account_valid, tone: 'good' },
  invalid: { word: m.account_invalid, tone: 'bad' },
  error: { word: m.account_error, tone: 'warn' },
};

export function stateOf(account: Account): { word: string; tone: Tone } {
  if (!account.enabled) return { word: m.account_off(), tone: 'idle' };
  const { word, tone } = STATES[account.status];
  return { word: word(), tone };
}

export const hosterOf = (account: Account): string => account.pluginName ?? account.pluginId;

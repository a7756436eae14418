import { body, Explained, language } from '@quartet/kit';
import type { Me } from '../data/types.ts';
import * as m from '../paraglide/messages.js';
import { api } from '../service.ts';
import { deviceName } from './deviceName.ts';
import { creationOptions, credentialJson, requestOptions } from './webauthn.ts';

/** Why passkeys cannot be used here; undefined when they can. */
export function passkeyObstacle(): 'number' | 'unknown' | undefined {
  // Browsers offer none where the address is a number.
  if (/^[\d.]+$|^\[/.test(location.hostname)) return 'number';
  return globalThis.PublicKeyCredential && isSecureContext ? undefined : 'unknown';
}

export async function signUpWithPasskey(name: string, invite: string): Promise<Me> {
  const wanted = { name, language: language.current, ...(invite ? { invite } : {}) };
  const { options } = await body(api.POST('/api/auth/signup', { body: wanted }));
  const credential = await create(options);
  const answer = { credential, passkeyName: deviceName() };
  return body(api.POST('/api/auth/signup/finish', { body: answer }));
}

export async function addPasskey(): Promise<Me> {
  const { options } = await body(api.POST('/api/auth/passkeys'));
  const credential = await create(options);
  const answer = { credential, passkeyName: deviceName() };
  return body(api.POST('/api/auth/passkeys/finish', { body: answer }));
}

let waiting: AbortController | undefined;

export async function signInWithPasskey(mediation?: 'conditional'): Promise<Me> {
  // One question at a time: the one that waits behind the field gives way to the button.
  waiting?.abort();
  const mine = (waiting = new AbortController());
  const { options } = await body(api.POST('/api/auth/signin'));
  const publicKey = requestOptions(options);
  const found = await asked(() =>
    navigator.credentials.get({ publicKey, mediation, signal: mine.signal }),
  );
  return body(api.POST('/api/auth/signin/finish', { body: { credential: credentialJson(found) } }));
}

/** Offers passkeys in the list below the e-mail field, where the browser can. */
export async function signInFromField(): Promise<Me | undefined> {
  if (passkeyObstacle() || !(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
  try {
    return await signInWithPasskey('conditional');
  } catch {
    // Nobody asked for it, so nobody needs to hear that it did not work.
    return undefined;
  }
}

export function stopWaiting(): void {
  waiting?.abort();
}

async function create(options: Record<string, unknown>): Promise<Record<string, any>> {
  const publicKey = creationOptions(options);
  return credentialJson(await asked(() => navigator.credentials.create({ publicKey })));
}

/** What devices refuse, in words. */
async function asked(ask: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  try {
    return (await ask()) as PublicKeyCredential;
  } catch (error) {
    const name = error instanceof DOMException ? error.name : '';
    if (name === 'InvalidStateError') throw new Explained(m.passkey_on_device);
    if (name === 'NotSupportedError' || name === 'ConstraintError')
      throw new Explained(m.passkey_unfit);
    throw new Explained(m.passkey_cancelled);
  }
}

import { body, deviceName, ExplainedError, language } from '@quartet/kit';
import type { Me } from '../data/types.ts';
import * as m from '../paraglide/messages.js';
import { api } from '../service.ts';
import { creationOptions, credentialJson, requestOptions, type Json } from './webauthn.ts';

/** Returns why passkeys are unavailable; undefined if they are available. */
export function passkeyProblem(): 'number' | 'unknown' | undefined {
  // Browsers offer no passkeys for IP addresses.
  if (/^[\d.]+$|^\[/.test(location.hostname)) return 'number';
  return globalThis.PublicKeyCredential && isSecureContext ? undefined : 'unknown';
}

export async function signUpWithPasskey(name: string, invite: string): Promise<Me> {
  const wanted = { name, language: language.current, ...(invite ? { invite } : {}) };
  const { options } = await body(api.POST('/api/auth/signup', { body: wanted }));
  const credential = await create(options);
  const answer = { credential, passkeyName: deviceName(navigator.userAgent) };
  return body(api.POST('/api/auth/signup/finish', { body: answer }));
}

export async function addPasskey(): Promise<Me> {
  const { options } = await body(api.POST('/api/auth/passkeys'));
  const credential = await create(options);
  const answer = { credential, passkeyName: deviceName(navigator.userAgent) };
  return body(api.POST('/api/auth/passkeys/finish', { body: answer }));
}

/** Creates a passkey with the token of a recovery link, and signs in. */
export async function resetWithPasskey(token: string): Promise<Me> {
  const { options } = await body(api.POST('/api/auth/reset/passkey', { body: { token } }));
  const answer = {
    credential: await create(options),
    passkeyName: deviceName(navigator.userAgent),
  };
  return body(api.POST('/api/auth/reset/passkey/finish', { body: answer }));
}

/** Proves with a passkey that the owner of the account is present. */
export async function checkPasskey(): Promise<void> {
  waiting?.abort();
  const { options } = await body(api.POST('/api/auth/check/passkey'));
  const publicKey = requestOptions(options);
  const credential = credentialJson(await asked(() => navigator.credentials.get({ publicKey })));
  await api.POST('/api/auth/check/passkey/finish', { body: { credential } });
}

let waiting: AbortController | undefined;

export async function signInWithPasskey(mediation?: 'conditional'): Promise<Me> {
  // Only one WebAuthn request at a time: the autofill request is cancelled when the button is
  // pressed.
  waiting?.abort();
  const mine = (waiting = new AbortController());
  const { options } = await body(api.POST('/api/auth/signin'));
  const publicKey = requestOptions(options);
  const found = await asked(() =>
    navigator.credentials.get({ publicKey, mediation, signal: mine.signal }),
  );
  return body(api.POST('/api/auth/signin/finish', { body: { credential: credentialJson(found) } }));
}

/** Offers passkeys in the autofill list of the e-mail field, if the browser supports it. */
export async function signInWithAutofill(): Promise<Me | undefined> {
  if (passkeyProblem() || !(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
  try {
    return await signInWithPasskey('conditional');
  } catch {
    // The user did not ask for it, so errors are not shown.
    return undefined;
  }
}

export function cancelAutofill(): void {
  waiting?.abort();
}

async function create(options: Record<string, unknown>): Promise<Json> {
  const publicKey = creationOptions(options);
  return credentialJson(await asked(() => navigator.credentials.create({ publicKey })));
}

/** Translates errors of the device. */
async function asked(ask: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  try {
    return (await ask()) as PublicKeyCredential;
  } catch (error) {
    const name = error instanceof DOMException ? error.name : '';
    if (name === 'InvalidStateError') throw new ExplainedError(m.passkey_on_device);
    if (name === 'NotSupportedError' || name === 'ConstraintError')
      throw new ExplainedError(m.passkey_unfit);
    throw new ExplainedError(m.passkey_cancelled);
  }
}

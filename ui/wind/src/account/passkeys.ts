import { body, deviceName, errorText, ExplainedError, language, toasts } from '@quartet/kit';
import type { Me } from '../data/types.ts';
import * as m from '../paraglide/messages.js';
import { api } from '../service.ts';
import { refusedAs } from './refused.ts';
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

/** The names of the account's other passkeys are `taken`. */
export async function addPasskey(taken: string[]): Promise<Me> {
  const { options } = await body(api.POST('/api/auth/passkeys'));
  const credential = await create(options);
  const answer = { credential, passkeyName: unusedName(deviceName(navigator.userAgent), taken) };
  return body(api.POST('/api/auth/passkeys/finish', { body: answer }));
}

/** Returns "Chrome on Linux 2" for a second passkey of this kind, such as a security key. */
export function unusedName(name: string, taken: string[]): string {
  let shown = name;
  for (let number = 2; taken.includes(shown); number++) shown = `${name} ${number}`;
  return shown;
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
  const credential = credentialJson(found);
  return refusedAs(
    body(api.POST('/api/auth/signin/finish', { body: { credential } })),
    m.passkey_refused,
  );
}

/** Offers passkeys in the autofill list of the e-mail field, if the browser supports it. */
export async function signInWithAutofill(): Promise<Me | undefined> {
  if (passkeyProblem() || !(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
  try {
    return await signInWithPasskey('conditional');
  } catch (error) {
    // Shown only if the user has chosen a passkey from the list.
    if (error instanceof ExplainedError && error.text === m.passkey_refused)
      toasts.show(errorText(error));
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

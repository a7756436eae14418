import { body, ExplainedError, router, store, stored } from '@quartet/kit';
import * as m from '../paraglide/messages.js';
import { api } from '../service.ts';
import { bytesOf } from '../account/webauthn.ts';

/** Whether this browser can receive notifications, and what prevents it. */
export type PushState = 'on' | 'off' | 'denied' | 'install' | 'insecure' | 'unsupported';

const ASKED = 'wind.push-endpoint';
const FORGET_MS = 3000;

export async function pushState(): Promise<PushState> {
  if (!isSecureContext) return 'insecure';
  if (!(
    'serviceWorker' in navigator &&
    'PushManager' in globalThis &&
    'Notification' in globalThis
  ))
    return needsInstalling() ? 'install' : 'unsupported';
  if (Notification.permission === 'denied') return 'denied';
  return (await subscription()) ? 'on' : 'off';
}

/** On iPhone and iPad only an installed page may show notifications. */
export function needsInstalling(agent: string = navigator.userAgent): boolean {
  const apple = /iPhone|iPad/.test(agent) || (/Mac OS/.test(agent) && navigator.maxTouchPoints > 1);
  return apple && !globalThis.matchMedia?.('(display-mode: standalone)').matches;
}

export async function turnOn(): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted')
    throw new ExplainedError(m.push_not_allowed);
  const { publicKey } = await body(api.GET('/api/push'));
  await register(await subscribe(bytesOf(publicKey)));
}

/**
 * Registers the subscription of this browser again after signing in: it belongs to a session, and
 * the previous one has ended.
 */
export async function renewSubscription(): Promise<void> {
  const current = stored(ASKED) ? await subscription() : null;
  if (current) await register(current);
}

async function register(subscription: PushSubscription): Promise<void> {
  const { endpoint, keys } = subscription.toJSON();
  const { p256dh = '', auth = '' } = keys ?? {};
  await api.POST('/api/push/subscriptions', {
    body: { endpoint: endpoint ?? '', keys: { p256dh, auth } },
  });
  store(ASKED, endpoint ?? null);
}

export async function turnOff(): Promise<void> {
  const endpoint = (await subscription())?.endpoint ?? stored(ASKED);
  if (endpoint) await api.DELETE('/api/push/subscriptions', { body: { endpoint } });
  await drop();
}

/** Removes the subscriptions of all browsers of the account. */
export async function turnOffEverywhere(): Promise<void> {
  await api.DELETE('/api/push/subscriptions', { body: {} });
  await drop();
}

/**
 * Unsubscribes on sign-out. Neither an error nor a browser that does not answer may prevent the
 * sign-out: the server forgets the subscriptions of a session together with the session.
 */
export async function forgetBrowser(): Promise<void> {
  const forgotten = turnOff().catch(drop);
  const tooLong = new Promise<void>((resolve) => setTimeout(resolve, FORGET_MS));
  await Promise.race([forgotten, tooLong]);
}

async function subscribe(key: Uint8Array<ArrayBuffer>): Promise<PushSubscription> {
  const worker = await navigator.serviceWorker.register(router.href('/sw.js'));
  await navigator.serviceWorker.ready;
  const wanted = { userVisibleOnly: true, applicationServerKey: key };
  try {
    return await worker.pushManager.subscribe(wanted);
  } catch {
    // A subscription made with an older server key is useless.
    await (await worker.pushManager.getSubscription())?.unsubscribe();
    return worker.pushManager.subscribe(wanted).catch(() => {
      throw new ExplainedError(m.push_refused);
    });
  }
}

async function subscription(): Promise<PushSubscription | null> {
  // Not `ready`: it never resolves if no worker was registered.
  const worker = await navigator.serviceWorker?.getRegistration();
  return (await worker?.pushManager?.getSubscription()) ?? null;
}

async function drop(): Promise<void> {
  store(ASKED, null);
  await (await subscription().catch(() => null))?.unsubscribe();
}

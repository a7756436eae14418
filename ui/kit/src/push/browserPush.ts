import { KernelApi } from '../api/kernel.ts';
import * as m from '../paraglide/messages.js';
import { base } from '../router/base.ts';
import { store, stored } from '../storage.ts';
import { ExplainedError } from '../texts/errors.ts';

/** Whether this browser can receive notifications, and what prevents it. */
export type PushState = 'on' | 'off' | 'denied' | 'install' | 'insecure' | 'unsupported';

const FORGET_MS = 3000;

/** The notifications of an app in this browser. */
export class BrowserPush {
  readonly server: KernelApi;
  /** Where this browser remembers its endpoint. */
  readonly #asked: string;

  constructor(api: object, app: string) {
    this.server = new KernelApi(api);
    this.#asked = `${app}.push-endpoint`;
  }

  async state(): Promise<PushState> {
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

  async turnOn(): Promise<void> {
    if ((await Notification.requestPermission()) !== 'granted')
      throw new ExplainedError(m.push_not_allowed);
    const { publicKey } = await this.server.push();
    await this.#register(await subscribe(bytesOf(publicKey)));
  }

  /**
   * Registers the subscription of this browser again after signing in: it belongs to a session, and
   * the previous one has ended.
   */
  async renew(): Promise<void> {
    const current = stored(this.#asked) ? await subscription() : null;
    if (current) await this.#register(current);
  }

  async turnOff(): Promise<void> {
    const endpoint = (await subscription())?.endpoint ?? stored(this.#asked);
    if (endpoint) await this.server.unsubscribe(endpoint);
    await this.#drop();
  }

  /** Removes the subscriptions of all browsers of the user. */
  async turnOffEverywhere(): Promise<void> {
    await this.server.unsubscribe();
    await this.#drop();
  }

  /**
   * Unsubscribes on sign-out. Neither an error nor a browser that does not answer may prevent the
   * sign-out: the server forgets the subscriptions of a session together with the session.
   */
  async forget(): Promise<void> {
    const forgotten = this.turnOff().catch(() => this.#drop());
    const tooLong = new Promise<void>((resolve) => setTimeout(resolve, FORGET_MS));
    await Promise.race([forgotten, tooLong]);
  }

  async #register(subscription: PushSubscription): Promise<void> {
    const { endpoint = '', keys } = subscription.toJSON();
    const { p256dh = '', auth = '' } = keys ?? {};
    await this.server.subscribe({ endpoint, keys: { p256dh, auth } });
    store(this.#asked, endpoint);
  }

  async #drop(): Promise<void> {
    store(this.#asked, null);
    await (await subscription().catch(() => null))?.unsubscribe();
  }
}

/** On iPhone and iPad only an installed page may show notifications. */
function needsInstalling(agent: string = navigator.userAgent): boolean {
  const apple = /iPhone|iPad/.test(agent) || (/Mac OS/.test(agent) && navigator.maxTouchPoints > 1);
  return apple && !globalThis.matchMedia?.('(display-mode: standalone)').matches;
}

async function subscribe(key: Uint8Array<ArrayBuffer>): Promise<PushSubscription> {
  const worker = await navigator.serviceWorker.register(`${base}sw.js`);
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

/** Decodes base64url. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.replace(/-/g, '+').replace(/_/g, '/'));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}

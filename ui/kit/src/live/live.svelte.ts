import { backoff } from './backoff.ts';
import type { Connection, Transport } from './transports.ts';

export type LiveState = 'connecting' | 'open' | 'lost';
type Handler = (data: never) => void;

/** The live stream of a service. It reconnects automatically and then asks for a reload. */
export class Live {
  #state = $state<LiveState>('connecting');
  #handlers = new Map<string, Set<Handler>>();
  #reloads = new Set<() => void>();
  #connection: Connection | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #attempt = 0;

  /** `lost` runs after each failed attempt, for example to check whether the session has ended. */
  constructor(
    private readonly transport: Transport,
    private readonly lost: () => void = () => undefined,
  ) {}

  get state(): LiveState {
    return this.#state;
  }

  start(): void {
    if (this.#connection || this.#timer) return;
    this.#state = 'connecting';
    globalThis.addEventListener?.('online', this.#now);
    this.#connect();
  }

  stop(): void {
    globalThis.removeEventListener?.('online', this.#now);
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#connection?.close();
    this.#connection = null;
    this.#attempt = 0;
    this.#state = 'connecting';
  }

  /** Reconnects immediately instead of waiting for the next attempt. */
  retry(): void {
    if (!this.#timer) return;
    clearTimeout(this.#timer);
    this.#connect();
  }

  #now = (): void => this.retry();

  /** Subscribes to events of a type; returns the function to unsubscribe. */
  on<Data>(type: string, handler: (data: Data) => void): () => void {
    const handlers = this.#handlers.get(type) ?? new Set();
    if (!this.#handlers.has(type)) this.#connection?.listen(type);
    this.#handlers.set(type, handlers.add(handler));
    return () => handlers.delete(handler);
  }

  /**
   * Subscribes to moments after which events may have been missed: every connect, and `resync` from
   * the server.
   */
  onReload(handler: () => void): () => void {
    this.#reloads.add(handler);
    return () => this.#reloads.delete(handler);
  }

  #connect(): void {
    this.#timer = undefined;
    this.#connection = this.transport({
      open: () => {
        this.#attempt = 0;
        this.#state = 'open';
        this.#reload();
      },
      message: (type, data) => this.#receive(type, data),
      close: () => this.#wait(),
    });
    for (const type of ['resync', ...this.#handlers.keys()]) this.#connection.listen(type);
  }

  #wait(): void {
    this.#connection = null;
    this.#state = 'lost';
    this.#timer = setTimeout(() => this.#connect(), backoff(this.#attempt++));
    this.lost();
  }

  #receive(type: string, data: unknown): void {
    if (type === 'resync') this.#reload();
    for (const handler of this.#handlers.get(type) ?? []) handler(data as never);
  }

  #reload(): void {
    for (const handler of this.#reloads) handler();
  }
}

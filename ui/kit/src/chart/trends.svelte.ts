import { KernelApi } from '../api/kernel.ts';
import type { Span, Trends } from './trends.ts';
import { continued } from './trends.ts';

/** How often new values are loaded; there are no newer ones in between. */
const POLL_MS: Record<Span, number> = { '15m': 2000, '24h': 60_000, '30d': 600_000 };
const RETRY_MS = 10_000;

/** Loads the recorded values of figures, and continues them while the page is visible. */
export class TrendLoader {
  #trends = $state.raw<Trends>();
  readonly #api: KernelApi;

  constructor(
    api: object,
    private readonly names: readonly string[],
  ) {
    this.#api = new KernelApi(api);
  }

  get trends(): Trends | undefined {
    return this.#trends;
  }

  /** Loads until the returned function is called. */
  start(span: Span): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let stopped = false;
    if (this.#trends?.span !== span) this.#trends = undefined;

    const load = async (): Promise<void> => {
      timer = undefined;
      let next = POLL_MS[span];
      try {
        const before = this.#trends;
        const found = await this.#api.trends(this.names, span, before?.until);
        if (stopped) return;
        this.#trends = before ? continued(before, found) : found;
      } catch {
        // The page shows the connection state; old values stay.
        next = RETRY_MS;
      }
      if (!stopped && !document.hidden) timer = setTimeout(() => void load(), next);
    };
    const resume = (): void => {
      if (!document.hidden && timer === undefined) void load();
    };
    document.addEventListener('visibilitychange', resume);
    void load();
    return () => {
      stopped = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', resume);
    };
  }
}

/** Creates a loader that runs as long as the component. */
export function createTrends(
  api: object,
  names: readonly string[],
  span: () => Span = () => '15m',
): TrendLoader {
  const loader = new TrendLoader(api, names);
  $effect(() => loader.start(span()));
  return loader;
}

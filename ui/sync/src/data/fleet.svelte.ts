import { body, Refresher } from '@quartet/kit';
import { api, live } from '../service.ts';
import { mergedOverview, mergedStatus, NO_STATUS, outdates } from './merge.ts';
import { placed, type Placed } from './progress.ts';
import type { Device, Folder, LiveStatus, Overview, Share, Update } from './types.ts';

const POLL_MS = 30_000;

/** The configuration and the live status of devices and hub, for all pages. */
class Fleet {
  #overview = $state.raw<Overview>();
  #status = $state.raw<LiveStatus>(NO_STATUS);
  #error = $state.raw<unknown>();
  #loads = $state(0);
  #whole = true;
  /** The last update since the overview was requested; the response may be older. */
  #meanwhile: Update | undefined;
  readonly #refresher = new Refresher(() => this.#load());

  readonly devices = $derived<readonly Device[]>(this.#overview?.devices ?? []);
  readonly folders = $derived<readonly Folder[]>(this.#overview?.folders ?? []);
  readonly shares = $derived<readonly Share[]>(this.#overview?.shares ?? []);

  get overview(): Overview | undefined {
    return this.#overview;
  }

  get status(): LiveStatus {
    return this.#status;
  }

  /** The error of the last load; the last data is kept. */
  get error(): unknown {
    return this.#error;
  }

  /** Number of loads, for pages whose data is not part of updates. */
  get loads(): number {
    return this.#loads;
  }

  device(id: number): Device | undefined {
    return this.devices.find((device) => device.id === id);
  }

  folder(id: number): Folder | undefined {
    return this.folders.find((folder) => folder.id === id);
  }

  /** The progress of all shares, or of the selected ones. */
  placed(wanted: (share: Share) => boolean = () => true): Placed[] {
    return placed(this.shares.filter(wanted), this.devices, this.folders, this.status);
  }

  /** Keeps the data up to date until the returned function is called. */
  start(): () => void {
    void this.#refresher.now();
    const stops = [
      live.on<Update>('update', (update) => this.#take(update)),
      live.onReload(() => {
        this.#whole = true;
        this.#refresher.ask();
      }),
      () => this.#refresher.stop(),
    ];
    const timer = setInterval(() => live.state !== 'open' && void this.#poll(), POLL_MS);
    return () => {
      clearInterval(timer);
      stops.forEach((stop) => stop());
    };
  }

  reload(): Promise<void> {
    return this.#refresher.now();
  }

  #take(update: Update): void {
    const before = this.#status;
    this.#status = this.#whole ? update.status : mergedStatus(before, update.status);
    if (!this.#overview || this.#whole || outdates(update, this.#overview, before)) {
      this.#refresher.ask();
    }
    this.#whole = false;
    this.#meanwhile = update;
    if (this.#overview) this.#overview = mergedOverview(this.#overview, update);
  }

  async #load(): Promise<void> {
    this.#meanwhile = undefined;
    try {
      const overview = await body(api.GET('/api/overview'));
      this.#overview = this.#meanwhile ? mergedOverview(overview, this.#meanwhile) : overview;
      this.#error = undefined;
      this.#loads++;
    } catch (error) {
      this.#error = error;
    }
  }

  async #poll(): Promise<void> {
    try {
      const status = await body(api.GET('/api/status'));
      // Live updates that arrived in the meantime are newer.
      if (live.state !== 'open') this.#status = status;
      await this.#refresher.now();
    } catch {
      // The shell shows that the server is unreachable; the last data is kept.
    }
  }
}

export const fleet = new Fleet();

import { body, Loader } from '@quartet/kit';
import { api, live } from '../service.ts';
import { mergedOverview, mergedStatus, NO_STATUS, outdates } from './merge.ts';
import { placed, type Placed } from './progress.ts';
import type { Device, Folder, LiveStatus, Overview, Share, Update } from './types.ts';

const POLL_MS = 30_000;

/** The configuration and the live status of devices and hub, for all pages. */
class Fleet {
  #status = $state.raw<LiveStatus>(NO_STATUS);
  #loads = $state(0);
  #whole = true;
  readonly #loader = new Loader<Overview>(() => this.#load(), {
    reloadOn: (refresh) => [
      live.on<Update>('update', (update) => this.#take(update)),
      live.onReload(() => {
        this.#whole = true;
        refresh();
      }),
    ],
  });

  readonly devices = $derived<readonly Device[]>(this.overview?.devices ?? []);
  readonly folders = $derived<readonly Folder[]>(this.overview?.folders ?? []);
  readonly shares = $derived<readonly Share[]>(this.overview?.shares ?? []);
  /** The progress of all shares. */
  readonly allPlaced = $derived<readonly Placed[]>(this.placed());
  readonly #byPlace = $derived(
    new Map(this.allPlaced.map((each) => [`${each.folder.id}:${each.device.id}`, each])),
  );

  get overview(): Overview | undefined {
    return this.#loader.value;
  }

  get status(): LiveStatus {
    return this.#status;
  }

  /** The error of the last load; the last data is kept. */
  get error(): unknown {
    return this.#loader.error;
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

  /** One share with its progress. */
  share(folderId: number, deviceId: number): Placed | undefined {
    return this.#byPlace.get(`${folderId}:${deviceId}`);
  }

  /** Keeps the data up to date until the returned function is called. */
  start(): () => void {
    const stop = this.#loader.start();
    const timer = setInterval(() => live.state !== 'open' && void this.#poll(), POLL_MS);
    return () => {
      clearInterval(timer);
      stop();
    };
  }

  reload(): Promise<void> {
    return this.#loader.reload();
  }

  #take(update: Update): void {
    const before = this.#status;
    this.#status = this.#whole ? update.status : mergedStatus(before, update.status);
    if (!this.overview || this.#whole || outdates(update, this.overview, before)) {
      this.#loader.refresh();
    }
    this.#whole = false;
    this.#loader.patch((overview) => mergedOverview(overview, update));
  }

  async #load(): Promise<Overview> {
    const overview = await body(api.GET('/api/overview'));
    this.#loads++;
    return overview;
  }

  async #poll(): Promise<void> {
    try {
      const status = await body(api.GET('/api/status'));
      // Live updates that arrived in the meantime are newer.
      if (live.state !== 'open') this.#status = status;
      await this.reload();
    } catch {
      // The shell shows that the server is unreachable; the last data is kept.
    }
  }
}

export const fleet = new Fleet();

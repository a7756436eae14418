import { ApiError, body } from '@quartet/kit';
import { fleet } from '../data/fleet.svelte.ts';
import type { BadRow, Device, DeviceDiff, Folder, FoundPatterns, Mode } from '../data/types.ts';
import { api } from '../service.ts';
import { adoptedPatterns } from './adoption.ts';
import {
  badRows,
  type Cell,
  cellsOf,
  type Change,
  changed,
  type Changes,
  existing,
  keyOf,
  OFF,
  rebased,
  rowsOf,
  templatePath,
  type Key,
} from './draft.ts';

/** The draft of this browser; it is kept while the user visits other pages. */
class MatrixDraft {
  #changes = $state.raw<Changes>(new Map());
  #bad = $state.raw<ReadonlyMap<Key, BadRow>>(new Map());
  readonly #cells = $derived(cellsOf(fleet.shares));
  readonly #rebased = $derived(
    rebased(existing(this.#changes, fleet.devices, fleet.folders), this.#cells),
  );

  get changes(): Changes {
    return this.#rebased.changes;
  }

  get count(): number {
    return this.changes.size;
  }

  /** Number of changes that another user has changed as well. */
  get clashes(): number {
    return this.#rebased.clashes.size;
  }

  get badCount(): number {
    return this.#bad.size;
  }

  /** The cell after the draft. */
  cell(folderId: number, deviceId: number): Cell {
    return this.change(folderId, deviceId)?.after ?? this.now(folderId, deviceId);
  }

  /** The current cell. */
  now(folderId: number, deviceId: number): Cell {
    return this.#cells.get(keyOf(folderId, deviceId)) ?? OFF;
  }

  change(folderId: number, deviceId: number): Change | undefined {
    return this.changes.get(keyOf(folderId, deviceId));
  }

  clashed(folderId: number, deviceId: number): boolean {
    return this.#rebased.clashes.has(keyOf(folderId, deviceId));
  }

  problem(folderId: number, deviceId: number): BadRow | undefined {
    return this.#bad.get(keyOf(folderId, deviceId));
  }

  /** The path for a new share: that of the template, unless another folder uses it. */
  templatePath(folder: Folder, device: Device): string {
    const others = fleet.folders.filter(({ id }) => id !== folder.id);
    const taken = others.map(({ id }) => this.cell(id, device.id).path);
    return templatePath(device, folder, fleet.overview?.pathTemplate ?? '', taken);
  }

  /** Sets the mode of many cells; new shares get the path of the template. */
  setAll(places: readonly { folder: Folder; device: Device }[], mode: Mode): void {
    for (const { folder, device } of places) {
      const now = this.cell(folder.id, device.id);
      if (mode !== 'off' && device.agentless && (mode !== 'both' || now.mode === 'encrypted')) {
        // The hub cannot enforce the other modes, and an encrypted copy must not become readable
        // as one of many.
        continue;
      }
      const path = device.agentless ? '' : now.path || this.templatePath(folder, device);
      this.set(folder.id, device.id, mode === 'off' ? OFF : { ...now, mode, path });
    }
  }

  set(folderId: number, deviceId: number, after: Cell): void {
    const place = { folderId, deviceId };
    this.#changes = changed(this.#changes, place, this.now(folderId, deviceId), after);
    const bad = new Map(this.#bad);
    bad.delete(keyOf(folderId, deviceId));
    this.#bad = bad;
  }

  discard(): void {
    this.#changes = new Map();
    this.#bad = new Map();
  }

  /** Returns the changes per device. */
  async preview(): Promise<DeviceDiff[]> {
    const answer = await this.#send(() => body(api.POST('/api/shares/preview', this.#body())));
    return answer.devices;
  }

  /** Ignore patterns that already exist in new folders. */
  async patterns(): Promise<FoundPatterns[]> {
    return await body(api.POST('/api/shares/patterns', this.#body()));
  }

  /** Applies the draft, and adds ignore patterns that were found on devices to their folders. */
  async apply(adopted: readonly FoundPatterns[] = []): Promise<void> {
    await this.#send(() => api.POST('/api/shares', this.#body()));
    for (const [folderId, patterns] of adoptedPatterns(adopted, fleet.folders)) {
      const params = { path: { folder_id: folderId } };
      await api.PATCH('/api/folders/{folder_id}', { params, body: { ignorePatterns: patterns } });
    }
    this.discard();
    await fleet.reload();
  }

  #body() {
    const baseRevision = fleet.overview?.revision ?? null;
    return { body: { baseRevision, changes: rowsOf(this.changes) } };
  }

  /** Rebases a stale draft on the new state; stops only if the user must decide. */
  async #send<T>(request: () => Promise<T>): Promise<T> {
    this.#bad = new Map();
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === 'draft_invalid') this.#bad = badRows(error.inputs.rows);
      if (error.code !== 'stale_draft') throw error;
      await fleet.reload();
      if (this.clashes > 0) throw error;
      return await request();
    }
  }
}

export const draft = new MatrixDraft();

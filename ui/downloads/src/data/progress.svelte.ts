import { live } from '../service.ts';
import type { ProgressEvent, ProgressItem, Unpacking } from './types.ts';

/** How many values the line of a download has, about one per second. */
export const LINE_VALUES = 60;
/** A torrent may have thousands of files at once. */
const MOST_LINES = 200;

/**
 * Progress of the running downloads. It is kept separate from the lists, so that a list of 100,000
 * rows is not rebuilt every second.
 */
class Progress {
  #items = $state.raw<ReadonlyMap<number, ProgressItem>>(new Map());
  #speed = $state(0);
  #uploadSpeed = $state(0);
  #unpacking = $state.raw<readonly Unpacking[]>([]);
  #latest = new Set<number>();
  #lines = new Map<number, number[]>();

  get items(): ReadonlyMap<number, ProgressItem> {
    return this.#items;
  }

  /** Total speed in bytes per second. */
  get speed(): number {
    return this.#speed;
  }

  /** Bytes per second; only torrents upload. */
  get uploadSpeed(): number {
    return this.#uploadSpeed;
  }

  get unpacking(): readonly Unpacking[] {
    return this.#unpacking;
  }

  of(id: number): ProgressItem | undefined {
    return this.#items.get(id);
  }

  /** The latest speeds of a running download, oldest first. */
  speedsOf(id: number): readonly number[] {
    // The lines change together with the items.
    return this.#items.has(id) ? (this.#lines.get(id) ?? []) : [];
  }

  /** Listen until the returned function is called. */
  start(): () => void {
    return live.on<ProgressEvent>('progress', (event) => this.#receive(event));
  }

  /** Remove ended downloads after a list was loaded, because the list has their new state. */
  settle(): void {
    const running = [...this.#items].filter(([id]) => this.#latest.has(id));
    if (running.length < this.#items.size) this.#items = new Map(running);
  }

  /** Keep the last progress of ended downloads until the list has their new state. */
  #receive({ items, totalSpeed, uploadSpeed, extract }: ProgressEvent): void {
    const next = new Map<number, ProgressItem>();
    for (const item of this.#items.values()) next.set(item.id, { ...item, speed: 0 });
    for (const item of items) next.set(item.id, item);
    this.#latest = new Set(items.map((item) => item.id));
    this.#lines = new Map(
      items
        .slice(0, MOST_LINES)
        .map(({ id, speed }) => [id, [...(this.#lines.get(id) ?? []), speed].slice(-LINE_VALUES)]),
    );
    this.#items = next;
    this.#speed = totalSpeed;
    this.#uploadSpeed = uploadSpeed;
    if (extract.length > 0 || this.#unpacking.length > 0) this.#unpacking = extract;
  }
}

export const progress = new Progress();

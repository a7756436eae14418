import { untrack } from 'svelte';
import type { Live } from './live.svelte.ts';

/** Shortest delay between an event and the load it causes: a burst of events causes one load. */
const SHORTEST_DELAY_MS = 250;
/** The delay is this many times the duration of the last load, so that loads never run back to back. */
const DELAY_FACTOR = 4;

export interface LoaderOptions<Input> {
  /** What to load. A change starts a new load; undefined means that there is nothing to load. */
  input?: () => Input | undefined;
  /** Loads after the input has been stable for this long, for texts that are being typed. */
  debounceMs?: number;
  /** Loads again whenever events of this stream may have been missed. */
  live?: Live;
  /** Subscribes to events that make the data outdated; returns the functions to unsubscribe. */
  reloadOn?: (refresh: () => void) => (() => void)[];
  /** Loads again this long after each answer, while the page is visible. */
  pollMs?: number;
}

/** `show` displays a part of the answer while there is nothing else to show. */
export type Load<T, Input> = (input: Input, show: (part: T) => void) => Promise<T>;

/**
 * Loads data from the server and keeps it up to date.
 *
 * There is one load at a time, and the latest answer wins: the answer for an earlier input is
 * discarded, and changes made with `patch` during a load are also applied to its answer.
 */
export class Loader<T, Input = void> {
  #value = $state.raw<T>();
  #error = $state.raw<unknown>();
  #busy = $state(false);
  #input: Input | undefined;
  #running: Promise<void> | undefined;
  /** Increased to discard the answer of the running load. */
  #generation = 0;
  #patches: ((value: T) => T)[] = [];
  #refreshAfter = false;
  #reloadAfter = false;
  #durationMs = 0;
  #hasStarted = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pollTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly load: Load<T, Input>,
    private readonly options: LoaderOptions<Input> = {},
  ) {}

  /** Undefined until the first answer. */
  get value(): T | undefined {
    return this.#value;
  }

  /** Replaces the data, for example with the server's answer to a change. */
  set value(value: T) {
    if (this.#running) this.#patches.push(() => value);
    this.#value = value;
    this.#error = undefined;
  }

  /** The error of the last load; the previous value is kept. */
  get error(): unknown {
    return this.#error;
  }

  /** Whether the value is outdated: a load is running or waiting for the input to settle. */
  get busy(): boolean {
    return this.#busy;
  }

  /** Loads, and reloads on events, until the returned function is called. */
  start(): () => void {
    const input = this.options.input?.();
    const isFirst = !this.#hasStarted;
    this.#hasStarted = true;
    this.#reset();
    this.#input = input;
    if (this.options.input && input === undefined) {
      this.#value = this.#error = undefined;
    } else if (this.options.debounceMs && !isFirst) {
      this.#busy = true;
      this.#timer = setTimeout(() => void this.reload(), this.options.debounceMs);
    } else void this.reload();
    const stops = [
      this.options.live?.onReload(() => this.refresh()),
      ...(this.options.reloadOn?.(() => this.refresh()) ?? []),
    ];
    if (this.options.pollMs) this.#poll(this.options.pollMs);
    return () => {
      stops.forEach((stop) => stop?.());
      this.#reset();
    };
  }

  /** Loads now. Resolves with data requested after the call, as a running load may be too old. */
  reload(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#running) this.#reloadAfter = true;
    return (this.#running ??= this.#run(this.#generation));
  }

  /** Loads soon, once for all calls in the meantime. */
  refresh(): void {
    if (this.#running) this.#refreshAfter = true;
    else this.#timer ??= setTimeout(() => void this.reload(), this.#delayMs);
  }

  /** Changes the data without a request, for example on an event. */
  patch(change: (value: T) => T): void {
    if (this.#running) this.#patches.push(change);
    const value = untrack(() => this.#value);
    if (value !== undefined) this.#value = change(value);
  }

  async #run(generation: number): Promise<void> {
    this.#busy = true;
    do {
      this.#refreshAfter = this.#reloadAfter = false;
      this.#patches = [];
      const began = performance.now();
      try {
        const show = (part: T): void => {
          if (generation !== this.#generation) return;
          if (untrack(() => this.#value) === undefined) this.#value = this.#patched(part);
        };
        const value = await this.load(this.#input as Input, show);
        if (generation !== this.#generation) return;
        this.#value = this.#patched(value);
        this.#error = undefined;
      } catch (error) {
        if (generation !== this.#generation) return;
        this.#error = error;
      }
      this.#durationMs = performance.now() - began;
    } while (this.#reloadAfter);
    this.#patches = [];
    this.#running = undefined;
    this.#busy = false;
    if (this.#refreshAfter) this.refresh();
  }

  #patched(value: T): T {
    return this.#patches.reduce((patched, change) => change(patched), value);
  }

  #poll(milliseconds: number): void {
    this.#pollTimer = setTimeout(async () => {
      const generation = this.#generation;
      if (!document.hidden) await this.reload();
      if (generation === this.#generation) this.#poll(milliseconds);
    }, milliseconds);
  }

  /** Discards the answer of a running load and everything that is scheduled. */
  #reset(): void {
    this.#generation++;
    this.#running = undefined;
    this.#busy = this.#refreshAfter = this.#reloadAfter = false;
    this.#patches = [];
    clearTimeout(this.#timer);
    clearTimeout(this.#pollTimer);
    this.#timer = undefined;
  }

  get #delayMs(): number {
    return Math.max(SHORTEST_DELAY_MS, DELAY_FACTOR * this.#durationMs);
  }
}

/**
 * Creates a loader that runs as long as the component. It also loads again when reactive state
 * changes that `load` reads before its first `await`.
 */
export function createLoader<T, Input = void>(
  load: Load<T, Input>,
  options?: LoaderOptions<Input>,
): Loader<T, Input> {
  const loader = new Loader(load, options);
  $effect(() => loader.start());
  return loader;
}

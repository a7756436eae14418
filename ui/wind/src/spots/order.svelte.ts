import type { HTMLButtonAttributes } from 'svelte/elements';
import { moved } from './order.ts';

const STEPS: Record<string, number> = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 };

/** Reorders cards by dragging their handle or with the arrow keys. */
export class Ordering {
  #held = $state<number>();
  #over = $state.raw<{ id: number; place: 'before' | 'after' }>();

  constructor(
    private readonly ids: () => number[],
    private readonly save: (ids: number[], moved: number) => void,
  ) {}

  get held(): number | undefined {
    return this.#held;
  }

  placeAt(id: number): 'before' | 'after' | undefined {
    return this.#over?.id === id && this.#held !== id ? this.#over.place : undefined;
  }

  handle(id: number): HTMLButtonAttributes {
    return {
      onpointerdown: (event) => this.#lift(event, id),
      onpointermove: (event) => this.#move(event),
      onpointerup: () => this.#drop(),
      onpointercancel: () => this.#end(),
      onkeydown: (event) => this.#press(event, id),
    };
  }

  #lift(event: PointerEvent & { currentTarget: HTMLElement }, id: number): void {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    this.#held = id;
  }

  #move(event: PointerEvent): void {
    if (this.#held === undefined) return;
    const below = document.elementFromPoint(event.clientX, event.clientY)?.closest('[data-spot]');
    const id = Number(below?.getAttribute('data-spot'));
    if (!below || id === this.#held) return void (this.#over = undefined);
    const ids = this.ids();
    // The card takes the place of the one below it; those in between move.
    this.#over = { id, place: ids.indexOf(id) > ids.indexOf(this.#held) ? 'after' : 'before' };
  }

  #drop(): void {
    const [held, over] = [this.#held, this.#over];
    this.#end();
    if (held === undefined || !over) return;
    const ids = this.ids();
    this.save(moved(ids, held, ids.indexOf(over.id)), held);
  }

  #end(): void {
    this.#held = undefined;
    this.#over = undefined;
  }

  #press(event: KeyboardEvent, id: number): void {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const ids = this.ids();
    const to = ids.indexOf(id) + step;
    if (to >= 0 && to < ids.length) this.save(moved(ids, id, to), id);
  }
}

export type Place = 'before' | 'into' | 'after';

/** Options for dragging rows with the mouse. There must also be a way for keyboards and phones. */
export interface RowDrag<Row> {
  /** Whether a row can be dragged; by default every row can. */
  takes?: (row: Row) => boolean;
  /** Called to drop rows on a target row; undefined rejects the drop. */
  place: (row: Row, keys: readonly string[], lowerHalf: boolean) => Place | undefined;
  drop: (row: Row, keys: readonly string[], place: Place) => void;
}

const TYPE = 'application/x-quartet-rows';

/** Returns whether a drag event carries rows of a table, for drop targets outside of it. */
export const holdsRows = (event: DragEvent): boolean =>
  event.dataTransfer?.types.includes(TYPE) ?? false;

/** Returns the keys of the dropped rows. */
export function droppedRows(event: DragEvent): string[] {
  return JSON.parse(event.dataTransfer?.getData(TYPE) || '[]') as string[];
}

/** The dragged rows and the row below the pointer. */
export class Dragging<Row> {
  #keys: readonly string[] = [];
  #over = $state.raw<{ key: string; place: Place }>();

  /** `taken` returns the keys that are dragged together with a row. */
  constructor(
    private readonly drag: () => RowDrag<Row> | undefined,
    private readonly taken: (key: string) => readonly string[],
  ) {}

  /** Returns the attributes that make a row draggable and a drop target. */
  attributes(row: Row, key: string): object {
    const drag = this.drag();
    if (!drag) return {};
    return {
      draggable: drag.takes?.(row) ?? true,
      'data-place': this.#over?.key === key ? this.#over.place : undefined,
      ondragstart: (event: DragEvent) => this.#start(event, key),
      ondragover: (event: DragEvent) => this.#move(event, row, key),
      ondragleave: () => (this.#over = undefined),
      ondragend: () => this.#end(),
      ondrop: (event: DragEvent) => this.#drop(event, row),
    };
  }

  #start(event: DragEvent, key: string): void {
    this.#keys = this.taken(key);
    event.dataTransfer?.setData(TYPE, JSON.stringify(this.#keys));
  }

  #move(event: DragEvent, row: Row, key: string): void {
    if (this.#keys.length === 0) return;
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const lowerHalf = event.clientY > box.top + box.height / 2;
    const place = this.drag()?.place(row, this.#keys, lowerHalf);
    if (place) event.preventDefault();
    if (place !== this.#over?.place || key !== this.#over?.key)
      this.#over = place && { key, place };
  }

  #drop(event: DragEvent, row: Row): void {
    const place = this.#over?.place;
    if (!place || this.#keys.length === 0) return;
    event.preventDefault();
    this.drag()?.drop(row, this.#keys, place);
    this.#end();
  }

  #end(): void {
    this.#keys = [];
    this.#over = undefined;
  }
}

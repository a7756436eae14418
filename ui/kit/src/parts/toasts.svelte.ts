const SHOWN_MS = 6000;

export interface Toast {
  id: number;
  text: string;
  undo?: () => void;
}

/** Short messages at the edge of the screen; those with undo stay longer. */
class Toasts {
  #list = $state<Toast[]>([]);
  #next = 1;
  #timers = new Map<number, ReturnType<typeof setTimeout>>();

  get list(): readonly Toast[] {
    return this.#list;
  }

  show(text: string, undo?: () => void): void {
    const toast = { id: this.#next++, text, undo };
    this.#list.push(toast);
    this.#count(toast);
  }

  undo(toast: Toast): void {
    this.close(toast.id);
    toast.undo?.();
  }

  close(id: number): void {
    this.#remove(id);
    // The focused button disappears with its toast, and browsers fire no event for it.
    this.release();
  }

  /** Pauses the timers while the pointer or the focus is on a toast. */
  hold(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }

  release(): void {
    for (const toast of this.#list) this.#count(toast);
  }

  #count({ id, undo }: Toast): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.set(
      id,
      setTimeout(() => this.#remove(id), undo ? SHOWN_MS * 1.5 : SHOWN_MS),
    );
  }

  #remove(id: number): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    this.#list = this.#list.filter((toast) => toast.id !== id);
  }
}

export const toasts = new Toasts();

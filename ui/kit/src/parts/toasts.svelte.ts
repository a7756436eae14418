const SHOWN_MS = 6000;

export interface Toast {
  id: number;
  text: string;
  undo?: () => void;
}

/** Short notices at the edge of the screen; one with undo stays a little longer. */
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
    // With its button the focus goes, and no browser tells the list so.
    this.release();
  }

  /** Nobody is hurried who points at one, or reached it with the keyboard. */
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

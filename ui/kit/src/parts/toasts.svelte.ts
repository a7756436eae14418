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
    const id = this.#next++;
    this.#list.push({ id, text, undo });
    this.#timers.set(
      id,
      setTimeout(() => this.close(id), undo ? SHOWN_MS * 1.5 : SHOWN_MS),
    );
  }

  undo(toast: Toast): void {
    this.close(toast.id);
    toast.undo?.();
  }

  close(id: number): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    this.#list = this.#list.filter((toast) => toast.id !== id);
  }
}

export const toasts = new Toasts();

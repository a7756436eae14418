import { store, stored } from '@quartet/kit';
import { untrack } from 'svelte';

/** A place that was viewed: its path and name. */
export interface Visited {
  path: string;
  name: string;
  detail: string;
}

const MOST = 8;

class Recent {
  #list = $state.raw<Visited[]>(read());

  get list(): Visited[] {
    return this.#list;
  }

  add(visited: Visited): void {
    // A page adds itself when it opens, and must not depend on the list it changes.
    const others = untrack(() => this.#list).filter((one) => one.path !== visited.path);
    this.#keep([visited, ...others].slice(0, MOST));
  }

  clear(): void {
    this.#keep([]);
  }

  #keep(list: Visited[]): void {
    this.#list = list;
    store('wind.recent', list.length > 0 ? JSON.stringify(list) : null);
  }
}

function read(): Visited[] {
  try {
    const list: unknown = JSON.parse(stored('wind.recent') ?? '[]');
    return Array.isArray(list) ? list.filter(isVisited) : [];
  } catch {
    return [];
  }
}

function isVisited(value: unknown): value is Visited {
  const { path, name, detail } = (value ?? {}) as Record<string, unknown>;
  return [path, name, detail].every((part) => typeof part === 'string');
}

export const recent = new Recent();

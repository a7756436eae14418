import { store, stored } from '@quartet/kit';

/** In the order of the table. */
export const ROWS = [
  'wind',
  'gust',
  'direction',
  'symbol',
  'temperature',
  'precipitation',
  'cloud',
  'pressure',
] as const;
export type RowName = (typeof ROWS)[number];

const DEFAULT: RowName[] = ['wind', 'gust', 'direction', 'symbol', 'temperature', 'precipitation'];

/** The rows of each model in the table, saved in this browser. */
class Rows {
  #shown = $state<RowName[]>(DEFAULT);

  constructor() {
    const before = stored('wind.rows')?.split(' ');
    if (before) this.#shown = ROWS.filter((name) => before.includes(name));
  }

  /** In the order of the table; there is always at least one. */
  get shown(): RowName[] {
    return this.#shown.length > 0 ? this.#shown : ['wind'];
  }

  shows(name: RowName): boolean {
    return this.#shown.includes(name);
  }

  set(name: RowName, shown: boolean): void {
    this.#shown = ROWS.filter((one) => (one === name ? shown : this.#shown.includes(one)));
    store('wind.rows', this.#shown.join(' '));
  }
}

export const rows = new Rows();

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
/** Rows of the sea: several of each wave model, and one of the nearest gauge. */
export const WAVE_ROWS = ['waves', 'swell', 'tide'] as const;
export type RowName = (typeof ROWS)[number];
export type WaveRowName = (typeof WAVE_ROWS)[number];
type AnyRow = RowName | WaveRowName;

const ALL: AnyRow[] = [...ROWS, ...WAVE_ROWS];
const DEFAULT: AnyRow[] = [
  'wind',
  'gust',
  'direction',
  'symbol',
  'temperature',
  'precipitation',
  'waves',
  'tide',
];

/** The rows of each model in the table, saved in this browser. */
class Rows {
  #shown = $state<AnyRow[]>(DEFAULT);

  constructor() {
    const before = stored('wind.rows')?.split(' ');
    if (before) this.#shown = ALL.filter((name) => before.includes(name));
  }

  /** In the order of the table; there is always at least one. */
  get shown(): RowName[] {
    const shown = ROWS.filter((name) => this.#shown.includes(name));
    return shown.length > 0 ? shown : ['wind'];
  }

  shows(name: AnyRow): boolean {
    return this.#shown.includes(name);
  }

  set(name: AnyRow, shown: boolean): void {
    this.#shown = ALL.filter((one) => (one === name ? shown : this.#shown.includes(one)));
    store('wind.rows', this.#shown.join(' '));
  }
}

export const rows = new Rows();

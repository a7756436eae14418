import { store, stored } from '@quartet/kit';

const NAMES = ['stations', 'gauges', 'relief'] as const;
export type LayerName = (typeof NAMES)[number];

/** The visible layers besides the wind, saved in this browser. */
class Layers {
  #shown = $state<Record<LayerName, boolean>>({ stations: true, gauges: true, relief: false });

  constructor() {
    const before = stored('wind.layers')?.split(' ');
    for (const name of NAMES) if (before) this.#shown[name] = before.includes(name);
  }

  shows(name: LayerName): boolean {
    return this.#shown[name];
  }

  set(name: LayerName, shown: boolean): void {
    this.#shown[name] = shown;
    store('wind.layers', NAMES.filter((one) => this.#shown[one]).join(' '));
  }
}

export const layers = new Layers();

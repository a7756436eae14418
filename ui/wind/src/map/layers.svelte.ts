import { store, stored } from '@quartet/kit';
import { LAYERS, type LayerName } from '../look/scales.ts';

const NAMES = ['stations', 'gauges', 'relief'] as const;
export type OverlayName = (typeof NAMES)[number];
/** What the colours of the map show. */
export type Colouring = 'wind' | LayerName;

/** The visible layers besides the wind, saved in this browser. */
class Layers {
  #shown = $state<Record<OverlayName, boolean>>({ stations: true, gauges: true, relief: false });

  #coloured = $state<Colouring>('wind');

  constructor() {
    const colours = stored('wind.colours') as LayerName | null;
    if (colours && LAYERS.includes(colours)) this.#coloured = colours;
    const before = stored('wind.layers')?.split(' ');
    for (const name of NAMES) if (before) this.#shown[name] = before.includes(name);
  }

  get coloured(): Colouring {
    return this.#coloured;
  }

  colour(by: Colouring): void {
    this.#coloured = by;
    store('wind.colours', by);
  }

  shows(name: OverlayName): boolean {
    return this.#shown[name];
  }

  set(name: OverlayName, shown: boolean): void {
    this.#shown[name] = shown;
    store('wind.layers', NAMES.filter((one) => this.#shown[one]).join(' '));
  }
}

export const layers = new Layers();

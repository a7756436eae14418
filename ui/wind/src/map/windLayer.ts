import type { CustomLayerInterface, CustomRenderMethodInput, Map as LibreMap } from 'maplibre-gl';
import type { ThemeName } from '../look/force.ts';
import { Field } from './field.ts';
import { xOf, yOf } from './mercator.ts';
import { windAt, type Flow, type LayerSheet, type Sheet } from './flow.ts';
import { Streaks } from './streaks.ts';
import { Swarm, swarmSize, type View } from './swarm.ts';

const LONGEST_STEP = 0.05;
/** Number of steps used to draw the tails of a still picture. */
const STILL_STEPS = 14;

/** The wind layer: a colour field with drifting particles. */
export class WindLayer implements CustomLayerInterface {
  readonly id = 'wind';
  readonly type = 'custom';
  ground: ThemeName = 'light';
  /** False if the user prefers reduced motion: the tails then stand still. */
  moving = true;
  #map: LibreMap | undefined;
  #field: Field | undefined;
  #streaks: Streaks | undefined;
  #swarm: Swarm | undefined;
  #sheets: Sheet[] = [];
  /** Drawn instead of the force of the wind, below the particles. */
  #coloured: LayerSheet[] = [];
  #last = 0;
  #stale = true;

  onAdd(map: LibreMap, gl: WebGL2RenderingContext): void {
    this.#map = map;
    this.#field = new Field(gl);
    this.#streaks = new Streaks(gl);
    document.addEventListener('visibilitychange', this.#wake);
    map.on('moveend', this.redraw);
    map.on('resize', this.redraw);
  }

  onRemove(map: LibreMap): void {
    document.removeEventListener('visibilitychange', this.#wake);
    map.off('moveend', this.redraw);
    map.off('resize', this.redraw);
    this.#field?.delete();
    this.#streaks?.delete();
  }

  show(sheets: Sheet[], coloured: LayerSheet[]): void {
    this.#sheets = sheets;
    this.#coloured = coloured;
    this.redraw();
  }

  readonly redraw = (): void => {
    this.#stale = true;
    this.#map?.triggerRepaint();
  };

  readonly #wake = (): void => {
    if (!document.hidden) this.#map?.triggerRepaint();
  };

  render(_gl: WebGL2RenderingContext, input: CustomRenderMethodInput): void {
    if (!this.#map || this.#sheets.length === 0) return;
    const matrix = new Float32Array(input.defaultProjectionData.mainMatrix);
    const sheets = this.#coloured.length > 0 ? this.#coloured : this.#sheets;
    this.#field?.draw(sheets, matrix, this.ground, this.#map.getZoom());
    this.#drift(this.#map);
    if (this.#swarm) this.#streaks?.draw(this.#swarm, matrix, this.ground);
    if (this.moving && !document.hidden) this.#map.triggerRepaint();
  }

  #drift(map: LibreMap): void {
    const { clientWidth, clientHeight } = map.getContainer();
    const count = swarmSize(clientWidth, clientHeight);
    if (this.#swarm?.count !== count) this.#swarm = new Swarm(count);
    const now = performance.now() / 1000;
    const passed = Math.min(now - this.#last, LONGEST_STEP);
    this.#last = now;
    if (this.moving) this.#swarm.move(passed, viewOf(map), this.#flow);
    else if (this.#stale) this.#still(map);
    this.#stale = false;
  }

  #still(map: LibreMap): void {
    const view = viewOf(map);
    for (let step = 0; step < STILL_STEPS; step++) this.#swarm?.move(0.08, view, this.#flow);
  }

  readonly #flow = (lon: number, lat: number): Flow | null => {
    for (const sheet of this.#sheets) {
      const flow = windAt(sheet, lon, lat);
      if (flow) return flow;
    }
    return null;
  };
}

function viewOf(map: LibreMap): View {
  const bounds = map.getBounds();
  return {
    left: xOf(bounds.getWest()),
    right: xOf(bounds.getEast()),
    top: yOf(bounds.getNorth()),
    bottom: yOf(bounds.getSouth()),
    worldPixels: 512 * 2 ** map.getZoom(),
  };
}

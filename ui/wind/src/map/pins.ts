import type { FeatureCollection } from 'geojson';
import type { Pin } from '../data/types.ts';
import { shown, type Unit } from '../data/units.ts';
import { forceColour, textColourOn, type ThemeName } from '../look/force.ts';
import { hex } from '../look/oklab.ts';

/** The name of a pin image contains everything it shows: force, direction, unit and theme. */
const NAME = /^pin:(\d+):(-?\d+):(\w+):(light|dark)$/;
const SIZE = 40;

export function pinFeatures(pins: Pin[], unit: Unit, ground: ThemeName): FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: pins.map(({ slug, lat, lon, latest }) => ({
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [lon, lat] },
      properties: {
        id: slug,
        // Where space is short, the strongest wind is shown.
        order: -latest.wind,
        icon: `pin:${Math.round(latest.wind)}:${tenth(latest.direction)}:${unit}:${ground}`,
      },
    })),
  };
}

/** Directions are rounded to ten degrees, so that pins share images. */
const tenth = (direction: number | null): number =>
  direction === null ? -1 : Math.round(direction / 10) * 10;

/** Undefined if the name is not that of a pin. */
export function pinPicture(name: string): ImageData | undefined {
  const [, knots, direction, unit, ground] = NAME.exec(name) ?? [];
  if (!knots) return undefined;
  return pin(Number(knots), Number(direction), unit as Unit, ground as ThemeName);
}

function pin(knots: number, direction: number, unit: Unit, ground: ThemeName): ImageData {
  const canvas = new OffscreenCanvas(SIZE * 2, SIZE * 2);
  const context = canvas.getContext('2d')!;
  const colour = forceColour(knots, ground);
  const ink = hex(textColourOn(colour));
  context.scale(2, 2);
  context.translate(SIZE / 2, SIZE / 2);
  context.fillStyle = hex(colour);
  context.strokeStyle = ground === 'light' ? '#10161f' : '#ffffff';
  context.lineWidth = 1.25;
  if (direction >= 0) drawPointer(context, direction);
  context.beginPath();
  context.arc(0, 0, 11, 0, 2 * Math.PI);
  context.fill();
  context.stroke();
  context.fillStyle = ink;
  context.font = '600 11px Inter, sans-serif';
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillText(shown(knots, unit), 0, 0.5);
  return context.getImageData(0, 0, canvas.width, canvas.height);
}

/** The direction the wind blows to. */
function drawPointer(context: OffscreenCanvasRenderingContext2D, direction: number): void {
  context.save();
  context.rotate((direction * Math.PI) / 180);
  context.beginPath();
  context.moveTo(-6.5, 9);
  context.lineTo(0, 19);
  context.lineTo(6.5, 9);
  context.fill();
  context.stroke();
  context.restore();
}

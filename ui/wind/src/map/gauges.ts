import type { FeatureCollection } from 'geojson';
import { number } from '@quartet/kit';
import type { GaugePin } from '../data/types.ts';
import type { ThemeName } from '../look/force.ts';

/** The name of a marker image contains everything it shows: state, theme and text. */
const NAME = /^gauge:(low|normal|high|unknown):(light|dark):(.*)$/;
const HEIGHT = 18;
const POINT = 5;
const INKS: Record<GaugePin['state'], Record<ThemeName, string>> = {
  low: { light: '#8a4b00', dark: '#ffb84d' },
  normal: { light: '#0b5a8f', dark: '#6fc1f5' },
  high: { light: '#a3123a', dark: '#ff7d9c' },
  unknown: { light: '#4a5563', dark: '#a9b4c2' },
};
/** The state has a symbol, not only a colour. */
const SIGNS: Record<GaugePin['state'], string> = { low: '▼', normal: '', high: '▲', unknown: '' };
const ORDER: Record<GaugePin['state'], number> = { high: 0, low: 1, normal: 2, unknown: 3 };

export function gaugeFeatures(gauges: GaugePin[], ground: ThemeName): FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: gauges
      .filter(({ level }) => level !== null)
      .map(({ id, lat, lon, level, state }) => ({
        type: 'Feature',
        geometry: { type: 'Point', coordinates: [lon, lat] },
        properties: { id, order: ORDER[state], icon: `gauge:${state}:${ground}:${number(level!)}` },
      })),
  };
}

/** Draws the marker of a gauge; undefined if the name is not that of a gauge. */
export function gaugePicture(name: string): ImageData | undefined {
  const [, state, ground, text] = NAME.exec(name) ?? [];
  if (!state) return undefined;
  const ink = INKS[state as GaugePin['state']][ground as ThemeName];
  const words = `${SIGNS[state as GaugePin['state']]}${text}`;
  const width = 12 + words.length * 6.5;
  const canvas = new OffscreenCanvas(width * 2, (HEIGHT + POINT) * 2);
  const context = canvas.getContext('2d')!;
  context.scale(2, 2);
  context.fillStyle = ground === 'light' ? '#ffffff' : '#141b26';
  context.strokeStyle = ink;
  context.lineWidth = 1.5;
  outline(context, width);
  context.fill();
  context.stroke();
  context.fillStyle = ink;
  context.font = '600 11px Inter, sans-serif';
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillText(words, width / 2, HEIGHT / 2 + 0.5);
  return context.getImageData(0, 0, canvas.width, canvas.height);
}

/** Draws a plate with a pointer at the bottom, which marks the position on the river. */
function outline(context: OffscreenCanvasRenderingContext2D, width: number): void {
  const middle = width / 2;
  context.beginPath();
  context.moveTo(4, 1);
  context.lineTo(width - 4, 1);
  context.arcTo(width - 1, 1, width - 1, 4, 3);
  context.lineTo(width - 1, HEIGHT - 3);
  context.arcTo(width - 1, HEIGHT, width - 4, HEIGHT, 3);
  context.lineTo(middle + POINT, HEIGHT);
  context.lineTo(middle, HEIGHT + POINT - 1);
  context.lineTo(middle - POINT, HEIGHT);
  context.lineTo(4, HEIGHT);
  context.arcTo(1, HEIGHT, 1, HEIGHT - 3, 3);
  context.lineTo(1, 4);
  context.arcTo(1, 1, 4, 1, 3);
  context.closePath();
}

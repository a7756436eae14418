import { describe, expect, it } from 'vitest';
import { roundedMeasure } from '../src/data/measures.ts';
import { beaufort, convert, shown } from '../src/data/units.ts';
import { forceColour, textColourOn, STRONGEST, type ThemeName } from '../src/look/force.ts';
import { contrast, luminance, toRgb } from '../src/look/oklab.ts';

describe('units', () => {
  it('converts knots', () => {
    expect(shown(20, 'kn')).toBe('20');
    expect(shown(20, 'ms')).toBe('10');
    expect(shown(20, 'kmh')).toBe('37');
    expect(shown(20, 'mph')).toBe('23');
    expect(shown(20, 'bft')).toBe('5');
    expect(convert(10, 'kmh')).toBeCloseTo(18.52);
  });

  it('converts and rounds what is not wind', () => {
    expect([-40, -17.8, 0, 37].map((celsius) => roundedMeasure(celsius, 'f'))).toEqual([
      -40, 0, 32, 99,
    ]);
    expect([0.04, 1, 3, 4.5, 31].map((metres) => roundedMeasure(metres, 'ft'))).toEqual([
      0.1, 3.3, 9.8, 15, 102,
    ]);
    expect([0.1, 0.5, 25.4].map((millimetres) => roundedMeasure(millimetres, 'in'))).toEqual([
      0, 0.02, 1,
    ]);
    expect(roundedMeasure(-0.2, 'c')).toBe(0);
  });

  it('knows where each force starts', () => {
    expect([0, 1, 3, 4, 10, 11, 33, 34, 63, 64, 120].map(beaufort)).toEqual([
      0, 1, 1, 2, 3, 4, 7, 8, 11, 12, 12,
    ]);
  });
});

describe('colours of wind force', () => {
  it.each<ThemeName>(['light', 'dark'])('can be read in every cell on %s', (ground) => {
    for (let knots = 0; knots <= STRONGEST + 20; knots++) {
      const colour = forceColour(knots, ground);
      expect(contrast(colour, textColourOn(colour))).toBeGreaterThan(4.5);
    }
  });

  it('change continuously', () => {
    for (const ground of ['light', 'dark'] as const) {
      for (let knots = 1; knots <= STRONGEST; knots++) {
        const [one, other] = [forceColour(knots - 1, ground), forceColour(knots, ground)];
        expect(Math.max(...one.map((part, at) => Math.abs(part - other[at]!)))).toBeLessThan(0.2);
      }
    }
  });

  it('are valid colours', () => {
    expect(toRgb([1, 0, 0]).map((part) => Math.round(part * 255))).toEqual([255, 255, 255]);
    expect(luminance([1, 1, 1])).toBeCloseTo(1);
  });
});

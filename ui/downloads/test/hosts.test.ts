import { describe, expect, it } from 'vitest';
import { domainOf, hueOf, letterOf } from '../src/data/hosts.ts';
import { groupsOf, rowsOf } from '../src/data/rows.ts';
import type { Download, Package } from '../src/data/types.ts';

/** The relative luminance of an OKLCH colour, clipped to what screens can show. */
function luminance(lightness: number, chroma: number, hue: number): number {
  const [a, b] = [Math.cos, Math.sin].map((of) => chroma * of((hue * Math.PI) / 180));
  const cube = (x: number, y: number): number => (lightness + x * (a ?? 0) + y * (b ?? 0)) ** 3;
  const l = cube(0.3963377774, 0.2158037573);
  const m = cube(-0.1055613458, -0.0638541728);
  const s = cube(-0.0894841775, -1.291485548);
  const clipped = (value: number): number => Math.min(1, Math.max(0, value));
  const red = clipped(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
  const green = clipped(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
  const blue = clipped(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

describe('the tile of a host without an icon', () => {
  it.each([
    ['rapidgator.net', 'R'],
    ['s12.dl.rapidgator.net', 'R'],
    ['www.bbc.co.uk', 'B'],
    ['müller.example', 'M'],
    ['österreich.example', 'Ö'],
    ['192.168.1.5', '1'],
    ['2001:db8::1', '2'],
    ['localhost', 'L'],
    ['TorBox', 'T'],
    ['', '?'],
  ])('of %s has the letter %s', (host, letter) => {
    expect(letterOf(host)).toBe(letter);
  });

  it('has the same colour for all hosts of a domain, and others for other domains', () => {
    expect(domainOf('a.b.example.com.au')).toBe('example.com.au');
    expect(hueOf('cdn.rapidgator.net')).toBe(hueOf('rapidgator.net'));
    const hosters = ['rapidgator.net', 'mega.nz', 'gofile.io', 'mediafire.com', 'ddownload.com'];
    expect(new Set(hosters.map(hueOf)).size).toBe(hosters.length);
  });

  it('can be read on every hue', () => {
    for (let hue = 0; hue < 360; hue++) {
      const contrast = 1.05 / (luminance(0.5, 0.095, hue) + 0.05);
      expect(contrast).toBeGreaterThan(4.5);
    }
  });
});

it('the host of a package is repeated only if its downloads have several', () => {
  const bundle = (id: number, ...hosts: string[]): Package =>
    ({
      id,
      downloads: hosts.map((host, index) => ({ id: id * 10 + index, host }) as Download),
    }) as Package;
  const packages = [bundle(1, 'a.example', 'a.example'), bundle(2, 'a.example', 'b.example')];
  const rows = rowsOf(groupsOf(packages, { words: '', filter: undefined }), new Set());
  expect(rows.map((row) => row.kind === 'download' && row.packageHost)).toEqual([
    false,
    'a.example',
    'a.example',
    false,
    undefined,
    undefined,
  ]);
});

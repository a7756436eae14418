import { describe, expect, it } from 'vitest';
import { sizesByDay } from '../src/dashboard/sizes.ts';
import { partsOf } from '../src/formats/tokens.ts';

describe('sizes of libraries', () => {
  it('has a value for each day of any library', () => {
    const library = (id: number, days: [number, number][]) => ({
      id,
      name: '',
      kind: 'movies' as const,
      days: days.map(([day, bytes]) => ({ day, bytes, files: 1 })),
    });
    const libraries = [library(1, [[1000, 5], [3000, 7]]), library(2, [[2000, 9]])]; // prettier-ignore
    expect(sizesByDay(libraries)).toEqual({
      times: [1, 2, 3],
      sizes: [
        [5, null, 7],
        [null, 9, null],
      ],
    });
  });
});

describe('parts of a template', () => {
  it('separates tokens, folders and text, and knows what is optional', () => {
    const shown = partsOf('{n}{?y} ({y|upper}){/}/{s00}\\/x').map(
      ({ kind, text, optional }) => `${kind}${optional ? '?' : ''}:${text}`,
    );
    expect(shown).toEqual([
      'token:n',
      'text?: (',
      'token?:y',
      'text?:)',
      'slash:/',
      'token:s00',
      'text:/x',
    ]);
  });

  it('keeps broken templates as text', () => {
    expect(partsOf('{n')).toEqual([{ kind: 'text', text: '{n', optional: false }]);
  });
});

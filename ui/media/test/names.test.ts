import { describe, expect, it } from 'vitest';
import { differences } from '../src/data/differences.ts';
import { folderOf, nameOf, within } from '../src/data/paths.ts';

const marked = (before: string, after: string): string =>
  differences(before, after)
    .map(({ text, changed }) => (changed ? `[${text}]` : text))
    .join('');

describe('differences', () => {
  it('marks new words', () => {
    expect(marked('Dune.2160p.mkv', 'Dune (1984).mkv')).toBe('Dune ([1984]).mkv');
  });

  it('does not mark changed separators next to new words', () => {
    expect(marked('12.Angry.Men.mkv', '12 Angry Men Remastered.mkv')).toBe(
      '12 Angry Men [Remastered].mkv',
    );
  });

  it('marks separators if nothing else is new', () => {
    expect(marked('a.b.mkv', 'a b.mkv')).toBe('a[ ]b.mkv');
  });

  it('keeps new words together', () => {
    expect(marked('x.S01E01.mkv', 'x S01E01 The Train Job.mkv')).toBe(
      'x S01E01 [The Train Job].mkv',
    );
  });

  it('marks nothing in an unchanged name', () => {
    expect(marked('same.mkv', 'same.mkv')).toBe('same.mkv');
    const long = Array.from({ length: 200 }, (_, index) => `w${index}`).join(' ');
    expect(marked('other', long)).toBe(`[${long}]`);
  });
});

describe('paths', () => {
  it('returns name and folder', () => {
    expect(nameOf('/a/b/c.mkv')).toBe('c.mkv');
    expect(folderOf('/a/b/c.mkv')).toBe('/a/b');
    expect(folderOf('c.mkv')).toBe('');
  });

  it('shows the part below the nearest folder', () => {
    expect(within('/media/movies/Dune/Dune.mkv', ['/media', '/media/movies'])).toBe(
      'Dune/Dune.mkv',
    );
    expect(within('/elsewhere/x.mkv', ['/media'])).toBe('/elsewhere/x.mkv');
  });
});

import { describe, expect, it } from 'vitest';
import { differences, type Piece } from '../src/data/differences.ts';
import { folderOf, nameOf, visible, within } from '../src/data/paths.ts';

const shown = (pieces: readonly Piece[]): string =>
  pieces.map(({ text, changed }) => (changed ? `[${text}]` : text)).join('');

/** The old and the new name, with brackets around what the other one lacks. */
function marked(before: string, after: string): [string, string] {
  const found = differences(before, after);
  return [shown(found.before), shown(found.after)];
}

describe('differences', () => {
  it('marks words that are gone and words that are new', () => {
    expect(marked('Dune.2160p.mkv', 'Dune (1984).mkv')).toEqual([
      'Dune.[2160p].mkv',
      'Dune ([1984]).mkv',
    ]);
  });

  it('never marks separators', () => {
    expect(marked('a.b.mkv', 'a b.mkv')).toEqual(['a.b.mkv', 'a b.mkv']);
    expect(marked('12.Angry.Men.mkv', '12 Angry Men Remastered.mkv')).toEqual([
      '12.Angry.Men.mkv',
      '12 Angry Men [Remastered].mkv',
    ]);
  });

  it('marks each word on its own', () => {
    expect(marked('x.S01E01.720p.WEB.mkv', 'x S01E01 The Train Job.mkv')).toEqual([
      'x.S01E01.[720p].[WEB].mkv',
      'x S01E01 [The] [Train] [Job].mkv',
    ]);
  });

  it('treats an apostrophe as a part of its word', () => {
    expect(marked('Mannys.First.Day.mkv', "Manny's First Day.mkv")).toEqual([
      '[Mannys].First.Day.mkv',
      "[Manny's] First Day.mkv",
    ]);
  });

  it('does not mark a different case', () => {
    expect(marked('the.wire.s01e01.mkv', 'The Wire S01E01.mkv')).toEqual([
      'the.wire.s01e01.mkv',
      'The Wire S01E01.mkv',
    ]);
  });

  it('marks nothing in an unchanged name, and every word in a very long one', () => {
    expect(marked('same.mkv', 'same.mkv')).toEqual(['same.mkv', 'same.mkv']);
    const long = Array.from({ length: 200 }, (_, index) => `w${index}`).join(' ');
    expect(marked('other', long)).toEqual(['[other]', long.replace(/w\d+/g, '[$&]')]);
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

describe('visible', () => {
  it('keeps a name on one line and in its order', () => {
    expect(visible('a\nb \u202egpj.exe')).toBe('a\ufffdb \ufffdgpj.exe');
    expect(visible('\u0641\u064a\u0644\u0645 \ud83c\udfac.mkv')).toBe(
      '\u0641\u064a\u0644\u0645 \ud83c\udfac.mkv',
    );
  });
});

import { expect, it } from 'vitest';
import { chosenWith } from '../src/files/selection.ts';
import { completions, withToken } from '../src/formats/tokens.ts';
import { movedRule, newRule, stepsOf, withIds } from '../src/rules/kinds.ts';
import { shareOf } from '../src/settings/draft.ts';

const FILES: Record<string, string[]> = {
  '/in': ['/in/a', '/in/b.mkv', '/in/c.mkv'],
  '/in/a': ['/in/a/1.mkv', '/in/a/2.mkv'],
};
const choose = (chosen: string[], path: string): string[] =>
  [...chosenWith(new Set(chosen), path, (folder) => FILES[folder])].sort();

it('selects and deselects a file', () => {
  expect(choose([], '/in/b.mkv')).toEqual(['/in/b.mkv']);
  expect(choose(['/in/b.mkv'], '/in/b.mkv')).toEqual([]);
});

it('selects a folder when all of its content is selected', () => {
  expect(choose(['/in/a/1.mkv'], '/in/a')).toEqual(['/in/a']);
  expect(choose(['/in/a/1.mkv', '/in/b.mkv'], '/in/a/2.mkv')).toEqual(['/in/a', '/in/b.mkv']);
});

it('deselects one file of a selected folder', () => {
  expect(choose(['/in'], '/in/a/1.mkv')).toEqual(['/in/a/2.mkv', '/in/b.mkv', '/in/c.mkv']);
});

it('completes tokens inside braces only', () => {
  expect(completions('{s00', 4)).toEqual(['s00e00', 's00']);
  expect(completions('{?y', 3)).toEqual(['y']);
  expect(completions('n', 1)).toEqual([]);
  expect(withToken('a {s0', 5, 's00e00')).toEqual({ text: 'a {s00e00}', caret: 10 });
  expect(withToken('{n} ', 4, 'y')).toEqual({ text: '{n} {y}', caret: 7 });
});

it('moves rules and shows the result of each', () => {
  const rules = [newRule('replace'), newRule('case'), newRule('pad')];
  expect(movedRule(rules, 2, 0).map(({ type }) => type)).toEqual(['pad', 'replace', 'case']);
  const off = rules.map((rule, place) => ({ ...rule, enabled: place !== 1 }));
  expect(stepsOf(off, 'a', ['b', 'c'])).toEqual([
    { before: 'a', after: 'b' },
    undefined,
    { before: 'b', after: 'c' },
  ]);
});

it('gives the rules of a set unique ids', () => {
  const rule = newRule('case');
  const ids = withIds([rule, rule, { ...rule, id: '' }]).map(({ id }) => id);
  expect(new Set(ids).size).toBe(3);
});

it('parses percentages', () => {
  expect(shareOf('90')).toBe(0.9);
  expect(shareOf('87,5 %')).toBe(0.875);
  expect(shareOf('')).toBeUndefined();
  expect(shareOf('120')).toBeUndefined();
});

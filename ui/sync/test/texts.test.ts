import { describe, expect, it } from 'vitest';
import { PATTERN_CODES, patternKind, patternProblem, patternsOf } from '../src/data/patterns.ts';
import { retentionText } from '../src/folder/retention.ts';
import { folded, sideRows } from '../src/folder/sideBySide.ts';
import { installCommand, joinCommand, likelySystem } from '../src/pair/systems.ts';

describe('ignore patterns', () => {
  it('are split into lines without empty ones', () => {
    expect(patternsOf(' *.tmp \n\n/cache\r\n')).toEqual(['*.tmp', '/cache']);
  });

  it('are rejected like on the server', () => {
    expect(patternProblem('*.tmp\n[ab')).toMatchObject({ line: 2, code: 'pattern_invalid' });
    expect(patternProblem('{a,b')).toMatchObject({ code: 'pattern_invalid' });
    expect(patternProblem('#Include other')).toMatchObject({ code: 'pattern_include' });
    expect(patternProblem('x'.repeat(501))).toMatchObject({ code: 'pattern_too_long' });
    expect(patternProblem('x\n'.repeat(501))).toMatchObject({ code: 'too_many_patterns' });
    expect(patternProblem('*.{jpg,png}\n[ab]\n\\[\n!keep')).toBeUndefined();
  });

  it('have all server errors mapped to their field', async () => {
    const server = await import('../../../src/quartet/sync/config/patterns.py?raw');
    const codes = [...String(server.default).matchAll(/AppError\(\d+, "(\w+)"/g)];
    expect(codes.length).toBeGreaterThan(0);
    expect(codes.map(([, code]) => code).filter((code) => !(code! in PATTERN_CODES))).toEqual([]);
  });

  it('are explained', () => {
    const lines = ['// words', '!keep', '/top', '(?d)(?i)/top', 'cache/', '*.tmp'];
    expect(lines.map(patternKind)).toEqual([
      'comment',
      'keep',
      'rooted',
      'rooted',
      'folder',
      'anywhere',
    ]);
  });
});

describe('a side-by-side diff', () => {
  const same = (number: number) =>
    ({ kind: 'same', text: `${number}`, left: number, right: number }) as const;

  it('shows removed lines next to added ones', () => {
    const rows = sideRows([
      same(1),
      { kind: 'del', text: 'old', left: 2 },
      { kind: 'add', text: 'new', right: 2 },
      { kind: 'add', text: 'more', right: 3 },
    ]);
    expect(rows.map(({ left, right }) => [left?.text, right?.text])).toEqual([
      ['1', '1'],
      ['old', 'new'],
      [undefined, 'more'],
    ]);
  });

  it('hides long runs of equal lines', () => {
    const lines = Array.from({ length: 20 }, (_, index) => same(index + 1));
    const rows = folded(sideRows([...lines, { kind: 'add', text: 'end', right: 21 }]));
    expect(rows[0]).toEqual({ hidden: 17 });
    expect(rows).toHaveLength(5);
  });
});

it('states how long earlier versions are kept', () => {
  expect(retentionText(1)).toContain('for 1 day.');
  expect(retentionText(30)).toContain('for 30 days.');
  expect(retentionText(0)).toBe('Replaced and deleted files are kept on the hub.');
});

it('builds a command for each system', () => {
  expect(joinCommand('linux', 'http://a', 'B')).toBe(
    'quartet agent join --server http://a B && quartet agent service install',
  );
  expect(joinCommand('windows', 'http://a', 'B')).toContain('if ($?)');
  expect(installCommand('macos', 'http://a', 'B')).toBe(
    'curl -fsSL http://a/api/agent/install.sh | sh -s -- B',
  );
  expect(installCommand('windows', 'http://a', 'B')).toContain('install.ps1))) B');
  expect(likelySystem('Mozilla/5.0 (Windows NT 10.0)')).toBe('windows');
  expect(likelySystem('Mozilla/5.0 (Macintosh)')).toBe('macos');
  expect(likelySystem('Mozilla/5.0 (X11; Linux)')).toBe('linux');
});

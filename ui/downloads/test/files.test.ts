import { describe, expect, it } from 'vitest';
import { challengeAddress } from '../src/data/challenge.ts';
import { canMove, folderOf } from '../src/data/paths.ts';
import { foundRows, treeRows } from '../src/data/folders.ts';
import { placedIds } from '../src/data/order.ts';
import type { Question } from '../src/data/types.ts';

const folders = ['Films', 'Films/2024', 'Films/2024/May', 'Music'];

describe('folder tree', () => {
  it('shows only the content of open folders', () => {
    const paths = (...open: string[]) => treeRows(folders, new Set(open)).map(({ path }) => path);
    expect(paths('')).toEqual(['', 'Films', 'Music']);
    expect(paths('', 'Films')).toEqual(['', 'Films', 'Films/2024', 'Music']);
    // An open folder inside a closed one is hidden.
    expect(paths('', 'Films/2024')).toEqual(['', 'Films', 'Music']);
  });

  it('has depth and children', () => {
    const row = treeRows(folders, new Set(['', 'Films'])).find(({ name }) => name === '2024');
    expect(row).toMatchObject({ depth: 2, parent: true });
  });

  it('is searched by the whole path', () => {
    expect(foundRows(folders, ' FILMS/2 ').map(({ path }) => path)).toEqual([
      'Films/2024',
      'Films/2024/May',
    ]);
  });
});

it.each([
  [['Films'], 'Films', false],
  [['Films'], 'Films/2024', false],
  [['Films'], 'Films and more', true],
  [['Films/2024', 'Music'], '', true],
  [['Films', 'Music'], '', false],
])('moving %s to %s: %s', (paths, to, allowed) => {
  expect(canMove(paths, to)).toBe(allowed);
  expect(folderOf('Films/2024')).toBe('Films');
});

it('packages are placed before or after another one', () => {
  expect(placedIds([1, 2, 3, 4], new Set([1, 4]), 3, 'before')).toEqual([2, 1, 4, 3]);
  expect(placedIds([1, 2, 3, 4], new Set([1, 4]), 2, 'after')).toEqual([2, 1, 4, 3]);
});

describe('challenge address', () => {
  const question = { id: '1', secret: 'ü', kind: 'hcaptcha', siteKey: 'k' } as Question;
  const at = (pageUrl: string) => challengeAddress({ ...question, pageUrl });

  it('keeps the page and hides the challenge from servers', () => {
    const [page, fragment = ''] = (at('https://a.example/f?x=1#old') ?? '').split('#quartet=');
    expect(page).toBe('https://a.example/f?x=1');
    expect(fragment).toMatch(/^[\w-]+$/);
    const { secret } = JSON.parse(Buffer.from(fragment, 'base64url').toString());
    expect(secret).toBe('ü');
  });

  it('is never a script address', () => {
    expect(at('javascript:alert(1)')).toBeUndefined();
    expect(at('nonsense')).toBeUndefined();
  });
});

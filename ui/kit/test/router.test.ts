import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { inside, match, withQuery } from '../src/router/match.ts';

describe('match', () => {
  it.each([
    ['/', '/', {}],
    ['/devices', '/devices/', {}],
    ['/devices/:id', '/devices/a%2Fb', { id: 'a/b' }],
    ['/devices/:id', '/devices/100%', { id: '100%' }],
    ['/devices/:id/files', '/devices/7/files', { id: '7' }],
  ])('%s takes %s', (pattern, path, params) => expect(match(pattern, path)).toEqual(params));

  it.each([
    ['/', '/x'],
    ['/devices', '/device'],
    ['/devices/:id', '/devices'],
    ['/devices/:id', '/devices/1/2'],
  ])('%s leaves %s', (pattern, path) => expect(match(pattern, path)).toBeNull());
});

describe('base path', () => {
  it('is removed from paths', () => {
    expect(inside('/', '/a/b')).toBe('/a/b');
    expect(inside('/wind/', '/wind/a')).toBe('/a');
    expect(inside('/wind/', '/wind')).toBe('/');
  });

  it('rejects addresses of other hosts', () => {
    expect(inside('/wind/', '/windy')).toBeNull();
    expect(inside('/wind/', '/')).toBeNull();
  });
});

describe('query', () => {
  it('changes only the named values', () =>
    expect(withQuery('?sort=name&filter=a', { sort: '-size' })).toBe('?sort=-size&filter=a'));

  it('removes empty values', () =>
    expect(withQuery('?a=1&b=2&c=3', { a: null, b: '', c: false })).toBe(''));

  it('writes numbers and true', () =>
    expect(withQuery('', { page: 2, on: true })).toBe('?page=2&on=true'));
});

describe('router', () => {
  const address = new URL('http://localhost/');
  const steps: string[] = [];
  const move = (step: string) => (_state: null, _title: string, to: URL) => {
    steps.push(`${step} ${to.pathname}${to.search}`);
    address.href = to.href;
  };

  beforeEach(() => {
    vi.resetModules();
    address.href = 'http://localhost/list?sort=name';
    steps.length = 0;
    vi.stubGlobal('location', address);
    vi.stubGlobal('history', { pushState: move('new'), replaceState: move('same') });
  });
  afterEach(() => void vi.unstubAllGlobals());

  it('stores choices in the address without leaving the page', async () => {
    const { router } = await import('../src/router/router.svelte.ts');
    router.setQuery({ q: 'a' });
    router.setQuery({ q: 'a' });
    router.setQuery({ sort: null });
    expect(steps).toEqual(['same /list?sort=name&q=a', 'same /list?q=a']);
    expect([router.path, `${router.query}`]).toEqual(['/list', 'q=a']);
  });

  it('drops choices when navigating to another page', async () => {
    const { router } = await import('../src/router/router.svelte.ts');
    router.go('/other');
    expect(steps).toEqual(['new /other']);
    expect([router.path, `${router.query}`]).toEqual(['/other', '']);
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { ApiError } from '../src/api/error.ts';
import { codeText, errorText, useCatalog } from '../src/texts/errors.ts';
import { preferred } from '../src/texts/language.svelte.ts';

afterEach(() => useCatalog({}));

describe('errors', () => {
  it('reads the code and its inputs', () =>
    expect(codeText('too_many_attempts', { seconds: 1 })).toContain('1 second.'));

  it('puts the text of the app first', () => {
    useCatalog({ error_not_found: () => 'No such package' });
    expect(codeText('not_found')).toBe('No such package');
    expect(codeText('signed_out')).toContain('session');
  });

  it('names a code nobody has a text for', () =>
    expect(codeText('strange_thing')).toContain('strange_thing'));

  it('writes sizes as sizes and a dash for what is missing', () => {
    expect(codeText('too_large', { limit: 5_000_000 })).toMatch(/5\sMB/);
    expect(codeText('internal')).toContain('–');
  });

  it('makes sense of any failure', () => {
    expect(errorText(new ApiError(0, 'offline'))).toContain('reach the server');
    expect(errorText(new TypeError('broken'))).toContain('broken');
  });
});

describe('answers that are not ours', () => {
  const from = (status: number, body: string): Promise<ApiError> =>
    ApiError.from(new Response(body, { status }));

  it('takes code and inputs', async () =>
    expect(await from(429, '{"code":"too_many_requests","inputs":{"seconds":3}}')).toMatchObject({
      status: 429,
      code: 'too_many_requests',
      inputs: { seconds: 3 },
    }));

  it('takes the page of a proxy', async () => {
    expect(await from(502, '<html>')).toMatchObject({ code: 'offline' });
    expect(await from(418, '"x"')).toMatchObject({ code: 'unknown', inputs: { code: 'HTTP 418' } });
  });
});

describe('language', () => {
  it('is the first of the browser that there are texts for', () => {
    expect(preferred(['fr-FR', 'de-AT', 'en'])).toBe('de');
    expect(preferred(['EN-us'])).toBe('en');
    expect(preferred(['fr'])).toBe('en');
    expect(preferred([])).toBe('en');
  });
});

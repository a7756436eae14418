import { afterEach, describe, expect, it } from 'vitest';
import { ApiError } from '../src/api/error.ts';
import { codeText, errorText, registerMessages } from '../src/texts/errors.ts';
import { preferred, regional } from '../src/texts/language.svelte.ts';

afterEach(() => registerMessages({}));

describe('errors', () => {
  it('reads the code and its inputs', () =>
    expect(codeText('too_many_attempts', { seconds: 1 })).toContain('1 second.'));

  it('prefers the text of the app', () => {
    registerMessages({ error_not_found: () => 'No such package' });
    expect(codeText('not_found')).toBe('No such package');
    expect(codeText('signed_out')).toContain('session');
  });

  it('shows codes without a text', () =>
    expect(codeText('strange_thing')).toContain('strange_thing'));

  it('formats sizes and shows a dash for missing inputs', () => {
    expect(codeText('too_large', { limit: 5_000_000 })).toMatch(/5\sMB/);
    expect(codeText('internal')).toContain('–');
  });

  it('has a text for every error', () => {
    expect(errorText(new ApiError(0, 'offline'))).toContain('reach the server');
    expect(errorText(new TypeError('broken'))).toContain('broken');
  });
});

describe('responses', () => {
  const from = (status: number, body: string): Promise<ApiError> =>
    ApiError.from(new Response(body, { status }));

  it('reads code and inputs', async () =>
    expect(await from(429, '{"code":"too_many_requests","inputs":{"seconds":3}}')).toMatchObject({
      status: 429,
      code: 'too_many_requests',
      inputs: { seconds: 3 },
    }));

  it('accepts the error page of a proxy', async () => {
    expect(await from(502, '<html>')).toMatchObject({ code: 'offline' });
    expect(await from(418, '"x"')).toMatchObject({ code: 'unknown', inputs: { code: 'HTTP 418' } });
  });
});

describe('language', () => {
  it('is the first browser language with texts', () => {
    expect(preferred(['fr-FR', 'de-AT', 'en'])).toBe('de');
    expect(preferred(['EN-us'])).toBe('en');
    expect(preferred(['fr'])).toBe('en');
    expect(preferred([])).toBe('en');
  });

  it('formats dates as in the region of the browser', () => {
    expect(regional('en', ['de-DE', 'en-GB', 'en-US'])).toBe('en-GB');
    expect(regional('en', ['de-DE'])).toBe('en');
  });
});

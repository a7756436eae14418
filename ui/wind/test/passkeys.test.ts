import { describe, expect, it } from 'vitest';
import { unusedName } from '../src/account/passkeys.ts';
import { bytesOf, creationOptions, requestOptions, textOf } from '../src/account/webauthn.ts';

describe('passkeys', () => {
  it('of the same kind of device get numbers', () => {
    expect(unusedName('Chrome', [])).toBe('Chrome');
    expect(unusedName('Chrome', ['Chrome', 'My key', 'Chrome 2'])).toBe('Chrome 3');
  });

  it('convert bytes to base64url and back', () => {
    for (let length = 0; length < 70; length++) {
      const bytes = Uint8Array.from({ length }, (_, index) => (index * 37 + length) % 256);
      const text = textOf(bytes.buffer);
      expect(text).toMatch(/^[\w-]*$/);
      expect(bytesOf(text)).toEqual(bytes);
    }
  });

  it("pass the server's options to the device", () => {
    const asked = creationOptions({
      challenge: 'AQID',
      rp: { id: 'localhost', name: 'Wind' },
      user: { id: 'BAU', name: 'Ada', displayName: 'Ada' },
      pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
      excludeCredentials: [{ id: 'Bgc', type: 'public-key' }],
      timeout: 5,
    });
    expect(asked.challenge).toEqual(Uint8Array.of(1, 2, 3));
    expect(asked.user.id).toEqual(Uint8Array.of(4, 5));
    expect(asked.excludeCredentials?.[0]?.id).toEqual(Uint8Array.of(6, 7));
    expect(asked.timeout).toBe(5);
    expect(requestOptions({ challenge: 'AQID', rpId: 'localhost' }).allowCredentials).toEqual([]);
  });
});

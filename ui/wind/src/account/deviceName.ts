/** Returns a short name for a browser, to tell passkeys and sessions apart. */
export function deviceName(agent: string = navigator.userAgent, unknown = 'Passkey'): string {
  const systems: [RegExp, string][] = [
    [/iPhone/, 'iPhone'],
    [/iPad/, 'iPad'],
    [/Android/, 'Android'],
    [/Mac OS/, 'Mac'],
    [/Windows/, 'Windows'],
    [/Linux/, 'Linux'],
  ];
  const browsers: [RegExp, string][] = [
    [/Edg\//, 'Edge'],
    [/Firefox\//, 'Firefox'],
    [/Chrom/, 'Chrome'],
    [/Safari\//, 'Safari'],
  ];
  const name = (list: [RegExp, string][]): string =>
    list.find(([pattern]) => pattern.test(agent))?.[1] ?? '';
  return [name(systems), name(browsers)].filter(Boolean).join(', ') || unknown;
}

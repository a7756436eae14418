import * as m from '../paraglide/messages.js';

/** More specific names come first: Edge and Opera also call themselves Chrome, and Chrome Safari. */
const BROWSERS: [RegExp, string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|Chromium|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: [RegExp, string][] = [
  [/\b(iPhone|iPod)\b/, 'iOS'],
  [/\biPad\b/, 'iPadOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

const find = (names: [RegExp, string][], text: string): string | undefined =>
  names.find(([pattern]) => pattern.test(text))?.[1];

/** Reads the browser and the operating system from a User-Agent header. */
export function deviceOf(userAgent: string): { browser?: string; system?: string } {
  return { browser: find(BROWSERS, userAgent), system: find(SYSTEMS, userAgent) };
}

/** Names a device for people: "Firefox on Android". */
export function deviceName(userAgent: string): string {
  const { browser, system } = deviceOf(userAgent);
  if (browser && system) return m.session_device({ browser, system });
  return browser ?? system ?? (userAgent || m.session_device_unknown());
}

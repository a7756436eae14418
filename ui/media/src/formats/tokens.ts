/** The tokens of a template, most used first. */
export const TOKENS = [
  ...['n', 'y', 's00e00', 't', 's', 'e', 's00', 'e00', 'sxe', 'absolute', 'abs', 'd'],
  ...['vf', 'source', 'edition', 'vc', 'ac', 'af', 'hdr', 'lang', 'group', 'part', 'orig'],
  ...['tmdb', 'tvdb', 'imdb', 'id', 'provider', 'rating', 'kind', 'ext'],
  ...['artist', 'album', 'track', 'disc', 'trackartist', 'genre'],
  ...['month', 'day', 'time', 'camera', 'file'],
];

const BEGUN = /\{[?!]?([a-z0-9]*)$/;

/** Returns the tokens that match the text before the caret; empty outside braces. */
export function completions(text: string, caret: number): string[] {
  const [, begun] = BEGUN.exec(text.slice(0, caret)) ?? [];
  return begun === undefined ? [] : TOKENS.filter((token) => token.startsWith(begun));
}

/** Inserts a token in place of the typed text and returns the new caret position. */
export function withToken(
  text: string,
  caret: number,
  token: string,
): { text: string; caret: number } {
  const before = text.slice(0, caret);
  const after = text.slice(caret);
  const found = BEGUN.exec(before);
  const start = found ? before.slice(0, before.length - (found[1]?.length ?? 0)) : `${before}{`;
  const close = after.startsWith('}') ? '' : '}';
  return { text: start + token + close + after, caret: (start + token).length + 1 };
}

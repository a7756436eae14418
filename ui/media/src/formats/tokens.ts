import * as m from '../paraglide/messages.js';

/** The tokens of a template, most used first. */
export const TOKENS = [
  ...['n', 'y', 's00e00', 't', 's', 'e', 's00', 'e00', 'sxe', 'absolute', 'abs', 'd'],
  ...['vf', 'source', 'edition', 'vc', 'ac', 'af', 'hdr', 'lang', 'group', 'part', 'orig'],
  ...['collection', 'genre'],
  ...['tmdb', 'tvdb', 'imdb', 'id', 'provider', 'rating', 'kind', 'ext'],
  ...['artist', 'album', 'track', 'disc', 'trackartist'],
  ...['month', 'day', 'time', 'camera', 'file'],
];

/** An example of each condition and filter of a template, and what it does. */
export const FILTERS: readonly (readonly [string, () => string])[] = [
  ['{?y} ({y}){/}', m.template_filter_if],
  ['{!y}…{/}', m.template_filter_unless],
  ['{n|lower}', m.template_filter_lower],
  ['{n|upper}', m.template_filter_upper],
  ['{n|title}', m.template_filter_title],
  ['{n|sort}', m.template_filter_sort],
  ['{n|first}', m.template_filter_first],
  ['{n|ascii}', m.template_filter_ascii],
  ['{n|trim}', m.template_filter_trim],
  ["{n|space:'.'}", m.template_filter_space],
  ["{n|replace:'&':'and'}", m.template_filter_replace],
  ["{group|default:'none'}", m.template_filter_default],
  ['{t|truncate:40}', m.template_filter_truncate],
  ['{e|pad:3}', m.template_filter_pad],
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

/** A part of a template as it is shown: a token, a folder separator or plain text. */
export interface TemplatePart {
  kind: 'token' | 'slash' | 'text';
  /** The name of the token, or the text. */
  text: string;
  /** Used only if a value is known, or only if it is missing. */
  optional: boolean;
}

const PARTS = /\\(.)|\{([?!])[a-z0-9]+\}|(\{\/\})|\{([a-z0-9]+)(?:\|[^}]*)?\}|(\/)/gs;

/** Splits a template for reading; text that is not valid stays text. */
export function partsOf(template: string): TemplatePart[] {
  const found: TemplatePart[] = [];
  let depth = 0;
  let end = 0;
  const add = (kind: TemplatePart['kind'], text: string): void => {
    const last = found.at(-1);
    const optional = depth > 0;
    if (kind === 'text' && last?.kind === 'text' && last.optional === optional) last.text += text;
    else if (text) found.push({ kind, text, optional });
  };
  for (const match of template.matchAll(PARTS)) {
    const [whole, escaped, opens, closes, token, slash] = match;
    add('text', template.slice(end, match.index));
    end = match.index + whole.length;
    if (escaped) add('text', escaped);
    else if (opens) depth++;
    else if (closes) depth = Math.max(0, depth - 1);
    else if (token) add('token', token);
    else if (slash) add('slash', '/');
  }
  add('text', template.slice(end));
  return found;
}

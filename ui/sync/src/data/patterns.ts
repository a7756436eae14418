/** Client-side validation of ignore patterns, with the server's rules. */
const MOST = 500;
const LONGEST = 500;

/** Server errors that are shown at the pattern field. */
export const PATTERN_CODES = {
  pattern_include: 'patterns',
  pattern_invalid: 'patterns',
  pattern_too_long: 'patterns',
  patterns_too_large: 'patterns',
  too_many_patterns: 'patterns',
};

export interface PatternProblem {
  line: number;
  code: string;
  inputs: Record<string, unknown>;
}

export const patternsOf = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean);

/** The first line that the server would reject. */
export function patternProblem(text: string): PatternProblem | undefined {
  for (const [index, given] of text.split(/\r?\n/).entries()) {
    const pattern = given.trim();
    const code = pattern && wrong(pattern);
    if (code) {
      const inputs = { pattern: pattern.slice(0, 40), max: LONGEST };
      return { line: index + 1, code, inputs };
    }
  }
  const count = patternsOf(text).length;
  return count > MOST
    ? { line: count, code: 'too_many_patterns', inputs: { max: MOST } }
    : undefined;
}

function wrong(pattern: string): string | undefined {
  if (pattern.length > LONGEST) return 'pattern_too_long';
  if (pattern.toLowerCase().startsWith('#include')) return 'pattern_include';
  return closes(pattern, '[', ']') && closes(pattern, '{', '}') ? undefined : 'pattern_invalid';
}

function closes(pattern: string, begin: string, end: string): boolean {
  let depth = 0;
  for (let at = 0; at < pattern.length; at++) {
    if (pattern[at] === '\\') at++;
    else if (pattern[at] === begin) depth++;
    else if (pattern[at] === end) depth = Math.max(0, depth - 1);
  }
  return depth === 0;
}

/** The meaning of a pattern line, shown as help. */
export type PatternKind = 'comment' | 'keep' | 'rooted' | 'folder' | 'anywhere';

export function patternKind(pattern: string): PatternKind {
  if (pattern.startsWith('//')) return 'comment';
  const bare = pattern.replace(/^(\(\?[di]\))+/, '');
  if (bare.startsWith('!')) return 'keep';
  if (bare.startsWith('/')) return 'rooted';
  return bare.endsWith('/') ? 'folder' : 'anywhere';
}

export interface Piece {
  text: string;
  /** Missing in the other name. */
  changed: boolean;
}

export interface Differences {
  /** The old name; changed words are gone. */
  before: Piece[];
  /** The new name; changed words are new. */
  after: Piece[];
}

const WORDS = /[\p{L}\p{N}]+(?:['’][\p{L}\p{N}]+)*|[^\p{L}\p{N}]/gu;
/** Names with more words are not compared, because that would be slow. */
const MOST_WORDS = 80;

/**
 * Splits two names into the words they share, in order, and the others. Words that differ only in
 * case are shared. Only words are marked, never spaces and other separators.
 */
export function differences(before: string, after: string): Differences {
  const old = before.match(WORDS) ?? [];
  const words = after.match(WORDS) ?? [];
  if (before === after) return { before: whole(before), after: whole(after) };
  const isLong = old.length > MOST_WORDS || words.length > MOST_WORDS;
  const kept = isLong ? { old: NONE, words: NONE } : common(old, words);
  return { before: pieces(old, kept.old), after: pieces(words, kept.words) };
}

const NONE: ReadonlySet<number> = new Set();

const whole = (text: string): Piece[] => (text ? [{ text, changed: false }] : []);

function pieces(words: string[], kept: ReadonlySet<number>): Piece[] {
  const found: Piece[] = [];
  for (const [index, text] of words.entries()) {
    const changed = isWord(text) && !kept.has(index);
    const last = found.at(-1);
    if (last?.changed === changed) last.text += text;
    else found.push({ text, changed });
  }
  return found;
}

const isWord = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

const same = (one?: string, other?: string): boolean =>
  one?.toLocaleLowerCase() === other?.toLocaleLowerCase();

/** Returns the places of the longest common subsequence in both lists. */
function common(old: string[], words: string[]): { old: Set<number>; words: Set<number> } {
  const width = words.length + 1;
  const lengths = new Uint16Array((old.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row--)
    for (let column = words.length - 1; column >= 0; column--)
      lengths[row * width + column] = same(old[row], words[column])
        ? at(row + 1, column + 1) + (isWord(old[row]!) ? 2 : 1)
        : Math.max(at(row + 1, column), at(row, column + 1));
  const kept = { old: new Set<number>(), words: new Set<number>() };
  for (let row = 0, column = 0; row < old.length && column < words.length;) {
    if (same(old[row], words[column])) {
      kept.old.add(row++);
      kept.words.add(column++);
    } else if (at(row + 1, column) >= at(row, column + 1)) row++;
    else column++;
  }
  return kept;
}

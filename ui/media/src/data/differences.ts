export interface Piece {
  text: string;
  /** Missing in the other name. */
  changed: boolean;
}

const WORDS = /[\p{L}\p{N}]+|[^\p{L}\p{N}]/gu;
/** Names with more words are not compared, because that would be slow. */
const MOST_WORDS = 80;

/** Splits the new name into words it shares with the old one, in order, and new words. */
export function differences(before: string, after: string): Piece[] {
  const old = before.match(WORDS) ?? [];
  const words = after.match(WORDS) ?? [];
  if (before === after || words.length === 0) return [{ text: after, changed: false }];
  if (old.length > MOST_WORDS || words.length > MOST_WORDS) return [{ text: after, changed: true }];
  const kept = common(old, words);
  // Changed separators are marked only if nothing else is new; otherwise they would distract.
  const anyWord = words.some((text, index) => !kept.has(index) && isWord(text));
  const pieces: Piece[] = [];
  for (const [index, text] of words.entries()) {
    const changed = !kept.has(index) && (!anyWord || isWord(text) || between(words, kept, index));
    const last = pieces.at(-1);
    if (last?.changed === changed) last.text += text;
    else pieces.push({ text, changed });
  }
  return pieces;
}

const isWord = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

/** True if the nearest words on both sides are new, so that the text between belongs to them. */
function between(words: string[], kept: Set<number>, index: number): boolean {
  const isNew = (place: number): boolean => place >= 0 && !kept.has(place);
  const before = words.findLastIndex((text, place) => place < index && isWord(text));
  const after = words.findIndex((text, place) => place > index && isWord(text));
  return isNew(before) && isNew(after);
}

/** Returns the indexes in `words` of the longest common subsequence. */
function common(old: string[], words: string[]): Set<number> {
  const width = words.length + 1;
  const lengths = new Uint16Array((old.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row--)
    for (let column = words.length - 1; column >= 0; column--)
      lengths[row * width + column] =
        old[row] === words[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  const kept = new Set<number>();
  for (let row = 0, column = 0; row < old.length && column < words.length;) {
    if (old[row] === words[column]) {
      kept.add(column);
      row++;
      column++;
    } else if (at(row + 1, column) >= at(row, column + 1)) row++;
    else column++;
  }
  return kept;
}

import type { DiffLine } from '../data/types.ts';

export interface Half {
  number: number | null | undefined;
  text: string;
}

/** One row of a side-by-side diff; a missing half means the line exists only on the other side. */
export interface SideRow {
  same: boolean;
  left?: Half;
  right?: Half;
}

/** A run of equal lines that is hidden. */
export interface Gap {
  hidden: number;
}

/** Number of equal lines shown around a difference. */
const AROUND = 3;

export function sideRows(lines: readonly DiffLine[]): SideRow[] {
  const rows: SideRow[] = [];
  let gone: Half[] = [];
  let come: Half[] = [];
  const flush = (): void => {
    for (let at = 0; at < Math.max(gone.length, come.length); at++) {
      rows.push({ same: false, left: gone[at], right: come[at] });
    }
    gone = [];
    come = [];
  };
  for (const { kind, text, left, right } of lines) {
    if (kind === 'del') gone.push({ number: left, text });
    else if (kind === 'add') come.push({ number: right, text });
    else {
      flush();
      rows.push({ same: true, left: { number: left, text }, right: { number: right, text } });
    }
  }
  flush();
  return rows;
}

/** Replaces long runs of equal lines with a gap. */
export function folded(rows: readonly SideRow[]): (SideRow | Gap)[] {
  const near = rows.map((_, at) =>
    rows.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ same }) => !same),
  );
  const shown: (SideRow | Gap)[] = [];
  let hidden = 0;
  for (const [at, row] of rows.entries()) {
    if (!near[at]) {
      hidden++;
      continue;
    }
    if (hidden > 0) shown.push({ hidden });
    hidden = 0;
    shown.push(row);
  }
  if (hidden > 0) shown.push({ hidden });
  return shown;
}

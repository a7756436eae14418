import type { Grid } from './grid.ts';

/** Where each mask turns modules around, so that no pattern looks like another part of the code. */
export const masks: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

// Dark, light, three dark, light, dark, beside four light: what a reader takes for a finder.
const LIKE_FINDER = ['10111010000', '00001011101'];

/** How hard a code is to read: the sum of the four penalties of the standard. */
export function penalty(grid: Grid): number {
  const rows = lines(grid, false);
  const columns = lines(grid, true);
  const each = [...rows, ...columns].reduce((sum, line) => sum + linePenalty(line), 0);
  return each + squares(rows) + balance(rows);
}

function lines(grid: Grid, turned: boolean): string[] {
  const along = Array.from({ length: grid.size }, (_, at) => at);
  return along.map((y) =>
    along.map((x) => ((turned ? grid.isDark(y, x) : grid.isDark(x, y)) ? '1' : '0')).join(''),
  );
}

function linePenalty(line: string): number {
  const runs = line.match(/0{5,}|1{5,}/g) ?? [];
  let sum = runs.reduce((all, run) => all + run.length - 2, 0);
  for (const pattern of LIKE_FINDER) {
    for (let at = line.indexOf(pattern); at >= 0; at = line.indexOf(pattern, at + 1)) sum += 40;
  }
  return sum;
}

function squares(rows: string[]): number {
  let count = 0;
  for (const [y, row] of rows.slice(0, -1).entries()) {
    const below = rows[y + 1];
    for (let x = 0; x + 1 < row.length; x++) {
      const same = row[x] === row[x + 1] && row[x] === below?.[x] && row[x] === below?.[x + 1];
      count += Number(same);
    }
  }
  return count * 3;
}

function balance(rows: string[]): number {
  const all = rows.join('');
  const dark = all.replaceAll('0', '').length / all.length;
  return Math.floor(Math.abs(dark - 0.5) * 20) * 10;
}

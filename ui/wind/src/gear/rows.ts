import type { GearItem } from '../data/types.ts';

export const MOST_PIECES = 30;

/** A piece of gear while it is being edited. */
export interface Row {
  key: number;
  kind: GearItem['kind'];
  name: string;
  size: string;
  unit: string;
  windMin: number | null;
  windMax: number | null;
}

const UNITS: Record<GearItem['kind'], string> = {
  kite: 'm²',
  sail: 'm²',
  wing: 'm²',
  board: 'l',
  foil: 'cm²',
  other: '',
};

let next = 1;

export function rowOf(item: GearItem): Row {
  return {
    key: next++,
    kind: item.kind,
    name: item.name,
    size: String(item.size),
    unit: item.unit,
    windMin: item.windMin ?? null,
    windMax: item.windMax ?? null,
  };
}

/** New rows start with the type of the previous one. */
export function newRow(before?: Row): Row {
  const kind = before?.kind ?? 'sail';
  const unit = before?.unit ?? UNITS[kind];
  return { key: next++, kind, name: '', size: '', unit, windMin: null, windMax: null };
}

/** A new type sets its unit, unless the user has entered one. */
export function withKind(row: Row, kind: Row['kind']): Row {
  return { ...row, kind, unit: row.unit === UNITS[row.kind] ? UNITS[kind] : row.unit };
}

export function sizeOf(row: Row): number {
  return Number(row.size.replace(',', '.'));
}

/** Empty rows are skipped. */
export function itemsOf(rows: readonly Row[]): GearItem[] {
  return rows
    .filter((row) => row.size.trim() !== '' || row.name.trim() !== '')
    .map((row) => ({
      kind: row.kind,
      name: row.name.trim(),
      size: sizeOf(row),
      unit: row.unit.trim(),
      ...(row.windMin === null ? {} : { windMin: row.windMin }),
      ...(row.windMax === null ? {} : { windMax: row.windMax }),
    }));
}

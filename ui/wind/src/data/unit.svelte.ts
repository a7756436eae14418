import { number, store, stored } from '@quartet/kit';
import { convert, shown, unitNames, units, type Unit } from './units.ts';

const isUnit = (value: string | null): value is Unit => units.includes(value as Unit);

/** The wind unit used everywhere, saved in this browser. */
class UnitChoice {
  #choice = $state<Unit>('kn');

  constructor() {
    const before = stored('wind.unit');
    if (isUnit(before)) this.#choice = before;
  }

  get current(): Unit {
    return this.#choice;
  }

  get name(): string {
    return unitNames[this.#choice];
  }

  choose(unit: Unit): void {
    this.#choice = unit;
    store('wind.unit', unit);
  }

  /** "12", for a cell. */
  cell(knots: number): string {
    return shown(knots, this.#choice);
  }

  /** "12 kn". */
  text(knots: number): string {
    return `${this.cell(knots)} ${this.name}`;
  }

  /** Formats a difference with one decimal, in knots if the unit is Beaufort. */
  difference(knots: number): string {
    return this.#choice === 'bft'
      ? `${number(knots)} kn`
      : `${number(convert(knots, this.#choice))} ${this.name}`;
  }

  /** The same with its sign. */
  signedDifference(knots: number): string {
    // Without this a tiny negative number would be shown as -0.
    if (Math.abs(knots) < 0.05) return this.difference(0);
    return `${knots > 0 ? '+' : ''}${this.difference(knots)}`;
  }
}

export const unit = new UnitChoice();

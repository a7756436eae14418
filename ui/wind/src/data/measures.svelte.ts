import { language, numberFormat, store, stored } from '@quartet/kit';
import {
  fromMeasure,
  measureNames,
  measureUnits,
  roundedMeasure,
  type Measure,
  type MeasureUnit,
} from './measures.ts';

/** Formats a rounded value; inches of rain have two decimals. */
export function measureText(rounded: number): string {
  return numberFormat(language.locale, { maximumFractionDigits: 2 }).format(rounded);
}

/** A unit used everywhere, saved in this browser. */
class MeasureChoice<Of extends Measure> {
  readonly units: readonly MeasureUnit<Of>[];
  readonly #key: string;
  #choice = $state<MeasureUnit<Of>>() as MeasureUnit<Of>;

  constructor(measure: Of) {
    this.units = measureUnits[measure];
    this.#key = `wind.${measure}`;
    const before = stored(this.#key);
    this.#choice = this.units.find((one) => one === before) ?? this.units[0]!;
  }

  get current(): MeasureUnit<Of> {
    return this.#choice;
  }

  get name(): string {
    return measureNames[this.#choice];
  }

  choose(unit: MeasureUnit<Of>): void {
    this.#choice = unit;
    store(this.#key, unit);
  }

  /** Converts and rounds a value. */
  rounded(value: number): number {
    return roundedMeasure(value, this.#choice);
  }

  /** Converts a value that a person has entered to the unit of the server. */
  entered(value: number): number {
    return fromMeasure(value, this.#choice);
  }

  /** "12", for a cell. */
  cell(value: number): string {
    return measureText(this.rounded(value));
  }

  /** "12 °C". */
  text(value: number): string {
    return `${this.cell(value)} ${this.name}`;
  }
}

export const temperature = new MeasureChoice('temperature');
/** The height of waves and of the ground. */
export const height = new MeasureChoice('height');
export const rain = new MeasureChoice('rain');

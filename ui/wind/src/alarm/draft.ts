import type { Alarm, AlarmChange } from '../data/types.ts';

export const ALL_DAYS = [1, 2, 3, 4, 5, 6, 7];

/** The default alert of a spot. */
export function newDraft(email: boolean): AlarmChange {
  return {
    enabled: true,
    windMin: 15,
    windMax: 25,
    gustMax: null,
    directions: null,
    hours: { from: 10, to: 20 },
    weekdays: [...ALL_DAYS],
    leadHours: 48,
    minHours: 3,
    model: null,
    quiet: { from: 22, to: 7 },
    channels: { push: true, email, messenger: false },
    measured: false,
    rainMax: null,
    temperatureMin: null,
    waveMax: null,
    chanceMin: null,
  };
}

/** The part of an alert that can be changed. */
export function draftOf(alarm: Alarm): AlarmChange {
  return {
    enabled: alarm.enabled,
    windMin: alarm.windMin,
    windMax: alarm.windMax ?? null,
    gustMax: alarm.gustMax ?? null,
    directions: alarm.directions ?? null,
    hours: { ...alarm.hours },
    weekdays: [...alarm.weekdays],
    leadHours: alarm.leadHours,
    minHours: alarm.minHours,
    model: alarm.model ?? null,
    quiet: alarm.quiet ? { ...alarm.quiet } : null,
    channels: { ...alarm.channels },
    measured: alarm.measured ?? false,
    rainMax: alarm.rainMax ?? null,
    temperatureMin: alarm.temperatureMin ?? null,
    waveMax: alarm.waveMax ?? null,
    chanceMin: alarm.chanceMin ?? null,
  };
}

/** Whether an alert has more conditions than its sentence. */
export function hasMore(draft: AlarmChange): boolean {
  const { gustMax, model, measured, weekdays, chanceMin } = draft;
  return (
    Boolean(gustMax || model || measured || chanceMin || weekdays.length < 7) || hasWeather(draft)
  );
}

/** Whether an alert has conditions on more than wind. */
export function hasWeather({ rainMax, temperatureMin, waveMax }: AlarmChange): boolean {
  return [rainMax, temperatureMin, waveMax].some((limit) => typeof limit === 'number');
}

/** Adds a value that was set elsewhere to the options. */
export function withValue(list: number[], value: number | null | undefined): number[] {
  if (value === null || value === undefined || list.includes(value)) return list;
  return [...list, value].sort((a, b) => a - b);
}

/** Parses an input to multiples of `step` in the unit of the server; null if empty. */
export function parseLimit(
  text: string,
  step: number,
  measure: { entered: (value: number) => number },
): number | null {
  const value = Number(text.replace(',', '.'));
  if (text.trim() === '' || !Number.isFinite(value)) return null;
  const perUnit = Math.round(1 / step);
  return Math.round(measure.entered(value) * perUnit) / perUnit;
}

export type Part = { text: string } | { control: string; tail: string };

/**
 * Splits a text with names in brackets, such as "between [from] and [to]", into its parts. The
 * punctuation after a control stays with it, so that no line begins with a comma.
 */
export function partsOf(text: string): Part[] {
  return text
    .split(/(\[\w+\][^\s\w[]*)/)
    .filter(Boolean)
    .map((part) => {
      const [, control, tail = ''] = /^\[(\w+)\](.*)$/.exec(part) ?? [];
      return control ? { control, tail } : { text: part };
    });
}

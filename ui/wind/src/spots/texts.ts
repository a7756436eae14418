import { language, number } from '@quartet/kit';
import { unit } from '../data/unit.svelte.ts';
import type { GearItem } from '../data/types.ts';
import type { Clock } from '../look/clock.ts';
import * as m from '../paraglide/messages.js';

const HOUR = 3600;

/** "Today, 14:00–18:00", "Sat 15, 22:00 – Sun 16, 3:00"; the end of a day is 24. */
export function spanText(from: number, to: number, clock: Clock, now: number): string {
  const first = dayText(from, clock, now);
  const start = hourText(Number(clock.hour(from)), clock.minutes(from));
  // The last hour determines which day the end belongs to.
  const end = hourText(Number(clock.hour(to - HOUR)) + 1, clock.minutes(to));
  if (clock.day(from) === clock.day(to - HOUR)) return m.span({ day: first, from: start, to: end });
  const last = dayText(to - HOUR, clock, now);
  return m.span_days({ first, from: start, last, to: end });
}

/** "14:00", in German "14"; with minutes where the zone is off by a part of an hour. */
function hourText(hour: number, minutes: string): string {
  if (minutes) return `${hour % 24}:${minutes}`;
  return language.current === 'de' ? String(hour) : `${hour}:00`;
}

/** The end of an hour as "18:00"; that of the last one of a day is "24:00". */
export function endText(to: number, clock: Clock): string {
  return clock.hour(to) === '00' && !clock.minutes(to) ? '24:00' : clock.time(to);
}

export function dayText(at: number, clock: Clock, now: number): string {
  if (clock.day(at) === clock.day(now)) return m.today();
  if (clock.day(at) === tomorrow(clock, now)) return m.tomorrow();
  return clock.day(at);
}

/** A day has 23 to 25 hours: in the last hour before a short one, tomorrow is over in 24 hours. */
function tomorrow(clock: Clock, now: number): string | undefined {
  const days = [23, 24, 25].map((hours) => clock.day(now + hours * HOUR));
  return days.find((day) => day !== clock.day(now));
}

/** "Today" or "Sat 15", which are short enough for narrow columns. */
export const todayOr = (at: number, clock: Clock, now: number): string =>
  clock.day(at) === clock.day(now) ? m.today() : clock.day(at);

/** "14–19 kn" */
export function rangeText(low: number, high: number): string {
  const [from, to] = [unit.cell(low), unit.cell(high)];
  return from === to ? unit.text(low) : `${from}–${to} ${unit.name}`;
}

/** "Sail Duke 5.3 m²" */
export function pieceText(item: GearItem): string {
  return [kindText(item.kind), item.name, `${item.size} ${item.unit}`.trim()]
    .filter(Boolean)
    .join(' ');
}

/** "5.3 m²" */
export const sizeText = (item: GearItem): string => `${number(item.size)} ${item.unit}`.trim();

export function kindText(kind: GearItem['kind']): string {
  return {
    kite: m.kind_kite,
    sail: m.kind_sail,
    wing: m.kind_wing,
    board: m.kind_board,
    foil: m.kind_foil,
    other: m.kind_other,
  }[kind]();
}

import { weekday } from '@quartet/kit';
import type { components } from '../api.d.ts';
import type { AlarmChange, Sector } from '../data/types.ts';
import { height, rain, temperature } from '../data/measures.svelte.ts';
import { unit } from '../data/unit.svelte.ts';
import * as m from '../paraglide/messages.js';
import { sectorText } from '../spots/sectors.ts';

/** "15–25 kn", "15 kn or more" */
export function windText({ windMin, windMax }: Pick<AlarmChange, 'windMin' | 'windMax'>): string {
  return windMax === null || windMax === undefined
    ? m.from_wind({ wind: unit.text(windMin) })
    : `${unit.cell(windMin)}–${unit.text(windMax)}`;
}

type Channel = components['schemas']['Delivered']['channel'];
const CHANNELS: Record<Channel, () => string> = {
  push: m.by_push,
  email: m.by_mail,
  messenger: m.by_messenger,
};

export const channelText = (channel: Channel): string => CHANNELS[channel]();

export function alarmShort(alarm: AlarmChange): string {
  return [
    windText(alarm),
    m.hours_in_a_row({ count: alarm.minHours }),
    hoursText(alarm.hours),
  ].join(' · ');
}

/** Describes the whole alert. */
export function alarmText(alarm: AlarmChange, spotDirections: Sector[]): string {
  const sectors = alarm.directions ?? spotDirections;
  const sentences = [
    m.alarm_text({
      wind: windText(alarm),
      directions:
        sectors.length > 0 ? m.from_directions({ names: sectorText(sectors) }) : m.from_any(),
      duration: m.hours_in_a_row({ count: alarm.minHours }),
      hours: hoursText(alarm.hours),
      days: daysText(alarm.weekdays),
      lead: leadText(alarm.leadHours),
    }),
    alarm.gustMax ? m.alarm_text_gusts({ wind: unit.text(alarm.gustMax) }) : '',
    weatherText(alarm),
    alarm.measured ? m.alarm_text_measured() : '',
    alarm.quiet ? m.alarm_text_quiet({ from: alarm.quiet.from, to: alarm.quiet.to }) : '',
  ];
  return sentences.filter(Boolean).join(' ');
}

/** "Only without rain, at least 8 °C." */
function weatherText({ rainMax, temperatureMin, waveMax }: AlarmChange): string {
  const known = <T>(value: T | null | undefined): value is T =>
    value !== null && value !== undefined;
  const conditions = [
    known(rainMax) ? rainText(rainMax) : '',
    known(temperatureMin) ? m.temperature_from({ degrees: temperature.text(temperatureMin) }) : '',
    known(waveMax) ? m.wave_below({ height: height.text(waveMax) }) : '',
  ].filter(Boolean);
  return conditions.length > 0 ? m.alarm_text_weather({ conditions: conditions.join(', ') }) : '';
}

const CONDITIONS = { rain: m.precipitation, temperature: m.temperature, waves: m.waves };

export function conditionName(condition: keyof typeof CONDITIONS): string {
  return CONDITIONS[condition]();
}

export function rainText(millimetres: number): string {
  return millimetres === 0 ? m.rain_none() : m.rain_most({ amount: `${rain.text(millimetres)}/h` });
}

export function hoursText({ from, to }: AlarmChange['hours']): string {
  return from === to % 24 ? m.all_day() : m.between_hours({ from, to });
}

export function daysText(days: number[]): string {
  if (days.length === 7) return m.every_day();
  const sorted = days.toSorted((a, b) => a - b);
  const together = sorted.at(-1)! - sorted[0]! === sorted.length - 1 && sorted.length > 2;
  if (together) return `${weekday(sorted[0]!)}–${weekday(sorted.at(-1)!)}`;
  return sorted.map((day) => weekday(day)).join(', ');
}

export function leadText(hours: number): string {
  return hours % 24 === 0 ? m.lead_days({ count: hours / 24 }) : m.lead_hours({ count: hours });
}

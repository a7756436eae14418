import { language } from '@quartet/kit';

const formats = new Map<string, Intl.DateTimeFormat>();

function format(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = language.locale + zone + JSON.stringify(options);
  const made =
    formats.get(key) ??
    new Intl.DateTimeFormat(language.locale, { ...options, timeZone: zone, hourCycle: 'h23' });
  formats.set(key, made);
  return made;
}

/** Formats times in a time zone, from seconds since 1970. */
export class Clock {
  constructor(readonly zone: string) {}

  static readonly here = new Clock(Intl.DateTimeFormat().resolvedOptions().timeZone);

  /** "09" */
  hour(unix: number): string {
    return format(this.zone, { hour: '2-digit' })
      .format(unix * 1000)
      .replace(/\D/g, '');
  }

  /** "45" where the zone is off by a part of an hour, such as in Nepal; otherwise empty. */
  minutes(unix: number): string {
    const text = format(this.zone, { minute: '2-digit' })
      .format(unix * 1000)
      .padStart(2, '0');
    return text === '00' ? '' : text;
  }

  /** "09:20" */
  time(unix: number): string {
    return format(this.zone, { hour: '2-digit', minute: '2-digit' }).format(unix * 1000);
  }

  /** "Sun 15" */
  day(unix: number): string {
    const parts = format(this.zone, { weekday: 'short', day: 'numeric' }).formatToParts(
      unix * 1000,
    );
    const part = (type: string): string => parts.find((each) => each.type === type)?.value ?? '';
    // The default formats are meant for sentences: "17 Tue", "Di., 17.".
    const end = language.current === 'de' ? '.' : '';
    return `${part('weekday').replace('.', '')} ${part('day')}${end}`;
  }

  /** "Sunday, 15 November" */
  longDay(unix: number): string {
    const options = { weekday: 'long', day: 'numeric', month: 'long' } as const;
    return format(this.zone, options).format(unix * 1000);
  }

  /** "Sun 15, 09:20" */
  dayTime(unix: number): string {
    return `${this.day(unix)}, ${this.time(unix)}`;
  }

  /** "GMT+1" */
  offset(unix: number): string {
    const parts = format(this.zone, { timeZoneName: 'short' }).formatToParts(unix * 1000);
    return parts.find((part) => part.type === 'timeZoneName')?.value ?? this.zone;
  }
}

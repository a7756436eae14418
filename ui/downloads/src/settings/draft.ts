import type { Options, ShownOptions, Window } from '../data/types.ts';

export const numberFields = [
  'maxParallel',
  'perHost',
  'connectionsPerFile',
  'speedLimitKib',
  'maxRetries',
  'historyDays',
  'uploadLimitKib',
  'seedRatioPercent',
  'seedMinutes',
] as const;
export const switches = [
  'autoExtract',
  'extractNested',
  'deleteArchives',
  'removeArchiveDownloads',
  'askArchivePassword',
  'verifyChecksums',
  'torrentDht',
  'hostIcons',
] as const;

export interface WindowDraft {
  from: string;
  to: string;
  days: number[];
  limitKib: string;
  pause: boolean;
}

type Numbers = Record<(typeof numberFields)[number], string>;
type Switches = Record<(typeof switches)[number], boolean>;

/** The options as shown in the fields; numbers are text until they are sent. */
export interface Draft extends Numbers, Switches {
  proxy: string;
  schedule: WindowDraft[];
}

export function draftOf(options: ShownOptions): Draft {
  return {
    ...(Object.fromEntries(numberFields.map((name) => [name, `${options[name]}`])) as Numbers),
    ...(Object.fromEntries(switches.map((name) => [name, options[name]])) as Switches),
    proxy: options.proxy ?? '',
    schedule: (options.schedule ?? []).map(windowDraft),
  };
}

export function optionsOf(draft: Draft): Options {
  const numbers = Object.fromEntries(numberFields.map((name) => [name, whole(draft[name])]));
  const flags = Object.fromEntries(switches.map((name) => [name, draft[name]]));
  return {
    ...numbers,
    ...flags,
    proxy: draft.proxy.trim() || null,
    schedule: draft.schedule.map(({ limitKib, ...window }) => ({
      ...window,
      limitKib: whole(limitKib) || 0,
    })),
  } as Options;
}

/** The first field without a whole number; the server's error would not name it. */
export function badNumber(draft: Draft): string | undefined {
  const bad = (text: string): boolean => !/^\d{1,10}$/.test(text.trim());
  const window = draft.schedule.findIndex(({ limitKib, pause }) => !pause && bad(limitKib));
  return (
    numberFields.find((name) => bad(draft[name])) ??
    (window < 0 ? undefined : `schedule.${window}.limitKib`)
  );
}

export const newWindow = (): WindowDraft => ({
  from: '08:00',
  to: '22:00',
  days: [],
  limitKib: '1024',
  pause: false,
});

const DAY = 24 * 60;
const WEEK = 7 * DAY;

/** The places of time slots that never apply, because earlier ones cover all of their minutes. */
export function coveredWindows(windows: readonly WindowDraft[]): Set<number> {
  const taken = new Uint8Array(WEEK);
  const covered = new Set<number>();
  windows.forEach((window, place) => {
    const minutes = minutesOf(window);
    if (minutes.length > 0 && minutes.every((minute) => taken[minute])) covered.add(place);
    for (const minute of minutes) taken[minute] = 1;
  });
  return covered;
}

/** The minutes of the week that a time slot covers; it belongs to the day on which it starts. */
function minutesOf({ from, to, days }: WindowDraft): number[] {
  const start = minuteOf(from);
  const length = (minuteOf(to) - start + DAY) % DAY || DAY;
  if (Number.isNaN(length)) return [];
  return (days.length > 0 ? days : [1, 2, 3, 4, 5, 6, 7]).flatMap((day) =>
    Array.from({ length }, (_, minute) => ((day - 1) * DAY + start + minute) % WEEK),
  );
}

const minuteOf = (clock: string): number => {
  const [hours = NaN, minutes = NaN] = clock.split(':').map(Number);
  return hours * 60 + minutes;
};

function windowDraft({ from, to, days, limitKib, pause }: Window): WindowDraft {
  return { from, to, days: days ?? [], limitKib: `${limitKib ?? 0}`, pause: pause ?? false };
}

const whole = (text: string): number => Number.parseInt(text, 10);

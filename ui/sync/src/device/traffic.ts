import { weekday } from '@quartet/kit';
import type { Traffic } from '../data/types.ts';

/** Numbers stay text until they are sent. */
export interface PaceDraft {
  paused: boolean;
  upload: string;
  download: string;
}

export interface WindowDraft extends PaceDraft {
  days: number[];
  begin: string;
  end: string;
}

export interface TrafficDraft extends PaceDraft {
  schedule: WindowDraft[];
}

const MOST = 10_000_000;

export const isWhole = (text: string): boolean =>
  /^\d{1,8}$/.test(text.trim()) && Number(text) <= MOST;

type Pace = Pick<Traffic, 'paused' | 'uploadKib' | 'downloadKib'>;

const paceDraft = ({ paused, uploadKib, downloadKib }: Pace): PaceDraft => ({
  paused: paused ?? false,
  upload: `${uploadKib ?? 0}`,
  download: `${downloadKib ?? 0}`,
});

const paceOf = ({ paused, upload, download }: PaceDraft): Pace => ({
  paused,
  uploadKib: Number(upload),
  downloadKib: Number(download),
});

export const draftOf = (traffic: Traffic): TrafficDraft => ({
  ...paceDraft(traffic),
  schedule: (traffic.schedule ?? []).map(({ days, begin, end, ...pace }) => ({
    ...paceDraft(pace),
    days,
    begin,
    end,
  })),
});

export const trafficOf = ({ schedule, ...pace }: TrafficDraft): Traffic => ({
  ...paceOf(pace),
  schedule: schedule.map(({ days, begin, end, ...each }) => ({
    ...paceOf(each),
    days,
    begin,
    end,
  })),
});

export const newWindow = (): WindowDraft => ({
  paused: true,
  upload: '0',
  download: '0',
  days: [0, 1, 2, 3, 4],
  begin: '08:00',
  end: '18:00',
});

export function weekdays(): { value: number; label: string }[] {
  return Array.from({ length: 7 }, (_, value) => ({ value, label: weekday(value + 1) }));
}

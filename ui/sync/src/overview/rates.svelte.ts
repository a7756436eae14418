import { TrendLoader, valuesOf, type Trends } from '@quartet/kit';
import { api } from '../service.ts';

export const FIGURES = ['received', 'sent'];
const loader = new TrendLoader(api, FIGURES);
/** The label of the sum over all devices. */
const ALL = '';

/** An engine with a speed limit sends in bursts, some seconds apart. */
const SMOOTHED_SECONDS = 8;

export interface Rate {
  /** Bytes per second from the device to the hub. */
  received: number;
  /** Bytes per second from the hub to the device. */
  sent: number;
}

/** How fast the hub exchanges data, now. */
export const rates = {
  start: (): (() => void) => loader.start('15m'),
  /** Of the last 15 minutes. */
  get trends(): Trends | undefined {
    return loader.trends;
  },
  /** When the values were measured. */
  get at(): number {
    return loader.trends?.until ?? 0;
  },
  of: (device: number): Rate => rateOf(String(device)),
  get all(): Rate {
    return rateOf(ALL);
  },
};

function rateOf(label: string): Rate {
  return {
    received: recentMean(valuesOf(loader.trends, 'received', label)),
    sent: recentMean(valuesOf(loader.trends, 'sent', label)),
  };
}

/** The mean of the newest values, which are a second apart. */
export function recentMean(values: readonly (number | null)[] = []): number {
  const known = values.slice(-SMOOTHED_SECONDS).filter((value) => value !== null);
  return known.reduce((sum, value) => sum + value, 0) / Math.max(known.length, 1);
}

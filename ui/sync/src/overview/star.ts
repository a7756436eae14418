import { isTroubled, type Placed } from '../data/progress.ts';
import type { Device } from '../data/types.ts';
import type { Rate } from './rates.svelte.ts';

/** A device around the hub; places are percentages of the picture. */
export interface Ray {
  device: Device;
  x: number;
  y: number;
  look: 'offline' | 'conflict' | 'trouble' | 'busy' | 'calm';
  /** The width of the line in pixels. */
  width: number;
  /** Whether data flows; the connection alone needs a little as well. */
  moving: boolean;
  /** From the hub to the device if true. */
  outwards: boolean;
  rate: Rate;
}

/** The words below the lowest device need the rest. */
const HEIGHT = 31;
/** How far devices are from the hub to its left and right, in percent of the picture. */
export const NARROW = 38;
const THIN = 1.5;
const THICK = 9;
/** The rates at which a line begins to grow and has its full width, in bytes per second. */
const SLOW = 10_000;
const FAST = 100_000_000;

/** On wide screens, few devices are not at the edges. */
export const wideness = (devices: number): number => Math.min(20 + 2 * devices, NARROW);

/** Places the devices around the hub, the first one at the top; two are on its sides. */
export function rays(
  devices: readonly Device[],
  shares: ReadonlyMap<number, readonly Placed[]>,
  rateOf: (device: number) => Rate,
  width: number,
): Ray[] {
  const first = devices.length === 2 ? Math.PI : -Math.PI / 2;
  return devices.map((device, index) => {
    const angle = first + (2 * Math.PI * index) / devices.length;
    const rate = rateOf(device.id);
    const look = lookOf(device, shares.get(device.id) ?? [], rate);
    return {
      device,
      x: 50 + width * Math.cos(angle),
      y: 50 + HEIGHT * Math.sin(angle),
      look,
      moving: isFast(rate) && (look === 'busy' || look === 'conflict'),
      width: lineWidth(rate.received + rate.sent),
      outwards: rate.sent >= rate.received,
      rate,
    };
  });
}

const isFast = ({ received, sent }: Rate): boolean => received + sent >= SLOW;

function lookOf(device: Device, shares: readonly Placed[], rate: Rate): Ray['look'] {
  if (device.blocked || device.refusal || shares.some(({ progress }) => isTroubled(progress)))
    return 'trouble';
  if (!device.online) return 'offline';
  if (shares.some(({ folder }) => folder.conflicts > 0)) return 'conflict';
  return isFast(rate) ? 'busy' : 'calm';
}

/** Grows with the order of magnitude, so that slow and fast transfers can be told apart. */
export function lineWidth(bytesPerSecond: number): number {
  if (bytesPerSecond <= SLOW) return THIN;
  const share = Math.log(bytesPerSecond / SLOW) / Math.log(FAST / SLOW);
  return THIN + Math.min(share, 1) * (THICK - THIN);
}

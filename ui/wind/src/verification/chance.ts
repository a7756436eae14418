/** Hours in a row are alike: so many of them count as one independent case. */
const ALIKE = 3;
/** Nineteen times out of twenty, chance stays within so many standard deviations. */
const WIDTH = 1.96;

/** How often, in percent, a right probability comes true in so many hours, apart from rare luck. */
export function chanceRange(percent: number, hours: number): { low: number; high: number } {
  const share = percent / 100;
  const apart = 100 * WIDTH * Math.sqrt((share * (1 - share) * ALIKE) / hours);
  return { low: Math.max(0, percent - apart), high: Math.min(100, percent + apart) };
}

const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/** Returns the delay before the next attempt; the jitter spreads reconnecting browsers. */
export function backoff(attempt: number, random: () => number = Math.random): number {
  const full = Math.min(FIRST_MS * 2 ** attempt, LONGEST_MS);
  return full / 2 + (full / 2) * random();
}

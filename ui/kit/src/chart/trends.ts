export const spans = ['15m', '24h', '30d'] as const;
export type Span = (typeof spans)[number];

export const isSpan = (value: unknown): value is Span => spans.includes(value as Span);

/** The values of one figure, oldest first. */
export interface Trend {
  name: string;
  /** Tells figures with the same name apart, such as the speeds of several devices. */
  label: string;
  values: (number | null)[];
}

export interface Trends {
  span: Span;
  /** Seconds between two values. */
  step: number;
  /** The Unix time of the last value of each trend. */
  until: number;
  trends: Trend[];
}

/** The number of values that each span has. */
export const ROOM: Record<Span, number> = { '15m': 900, '24h': 1440, '30d': 720 };

/** Returns the earlier values with the later ones at their end. */
export function continued(before: Trends, next: Trends): Trends {
  const room = ROOM[next.span];
  const added = Math.min(Math.round((next.until - before.until) / next.step), room);
  if (added <= 0) return before;
  const keys = new Map([...before.trends, ...next.trends].map((each) => [keyOf(each), each]));
  const trends = [...keys.values()].map(({ name, label }) => {
    const old = valuesOf(before, name, label) ?? new Array<null>(room).fill(null);
    const fresh = valuesOf(next, name, label) ?? new Array<null>(added).fill(null);
    return { name, label, values: [...old, ...fresh].slice(-room) };
  });
  return { ...next, trends };
}

const keyOf = ({ name, label }: Trend): string => `${name} ${label}`;

export function valuesOf(
  trends: Trends | undefined,
  name: string,
  label = '',
): (number | null)[] | undefined {
  return trends?.trends.find((each) => each.name === name && each.label === label)?.values;
}

/** The newest known value of a figure, or 0. */
export function newest(trends: Trends | undefined, name: string, label = ''): number {
  const last = valuesOf(trends, name, label)?.slice(-3) ?? [];
  return last.findLast((value) => value !== null) ?? 0;
}

/** The times of the values of each trend. */
export function timesOf({ span, step, until }: Trends): number[] {
  const room = ROOM[span];
  return Array.from({ length: room }, (_, index) => until - (room - 1 - index) * step);
}

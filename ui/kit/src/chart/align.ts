export interface Line {
  times: number[];
  values: (number | null)[];
}

/** Aligns several series on the union of their times; null where a series has no value. */
export function align(lines: Line[], from: number, to: number): [number[], ...(number | null)[][]] {
  const inside = (time: number): boolean => time >= from && time <= to;
  const times = [...new Set(lines.flatMap((line) => line.times))]
    .filter(inside)
    .sort((a, b) => a - b);
  const index = new Map(times.map((time, at) => [time, at]));
  const rows = lines.map((line) => {
    const row = new Array<number | null>(times.length).fill(null);
    line.times.forEach((time, at) => {
      const place = index.get(time);
      if (place !== undefined) row[place] = line.values[at] ?? null;
    });
    return row;
  });
  return [times, ...rows];
}

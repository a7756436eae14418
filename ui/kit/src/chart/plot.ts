import type uPlot from 'uplot';
import { topOf, type ChartBand, type ChartClock, type ChartLine } from './chart.ts';

/** Half the width of a time such as 12:00 PM, in pixels. */
const HALF_LABEL = 28;

export interface PlotOptions {
  width: number;
  height: number;
  lines: readonly ChartLine[];
  range: () => [number, number];
  clock: ChartClock;
  value: (number: number) => string;
  zero: boolean;
  least: number;
  limit: () => number | undefined;
  now: () => number | undefined;
  bands: () => readonly ChartBand[];
  axisWidth: number;
  spanGaps: boolean;
  ink: (colour: string, share?: number) => string;
  onCursor: (index: number | null) => void;
}

/** Returns the options of the chart library. */
export function plotOptions(given: PlotOptions): uPlot.Options {
  const { ink, lines, clock } = given;
  const grid = { stroke: ink('var(--line)'), width: 1 };
  const axis = {
    stroke: ink('var(--text-quiet)'),
    font: '12px Inter',
    ticks: { show: false },
    grid,
  };
  return {
    width: given.width,
    height: given.height,
    legend: { show: false },
    cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
    scales: {
      x: { range: () => given.range() },
      y: { range: (_plot, low, high) => rangeOf(given, low, high) },
    },
    axes: [
      {
        ...axis,
        size: 28,
        space: 2 * HALF_LABEL + 20,
        incrs: clock.steps,
        values: (plot, splits) =>
          splits.map((unix) => (fits(plot, unix) ? clock.tick(unix) : null)),
      },
      {
        ...axis,
        size: given.axisWidth,
        // A low chart has a second label too: steps of 1, 2 and 5 are at most 2.5 times apart.
        space: (_plot, _axis, _low, _high, room) => Math.min(32, room / 2.5),
        values: (_plot, splits) => splits.map((number) => given.value(number)),
      },
    ],
    series: [{}, ...lines.map((line) => seriesOf(line, given))],
    bands: lines.flatMap(({ look, colour }, index) =>
      look === 'high' ? [{ series: [index + 1, index + 2], fill: ink(colour, 0.19) }] : [],
    ),
    hooks: {
      setCursor: [(plot) => given.onCursor(plot.cursor.idx ?? null)],
      drawClear: [(plot) => drawBands(plot, given)],
      draw: [(plot) => drawMarks(plot, given)],
    },
  };
}

/** Whether a label at this time is not cut off at the right end of the chart. */
function fits(plot: uPlot, unix: number): boolean {
  const left = plot.bbox.left / devicePixelRatio;
  return left + plot.valToPos(unix, 'x') + HALF_LABEL <= plot.width;
}

function rangeOf(given: PlotOptions, low: number | null, high: number | null): [number, number] {
  if (given.zero) return [0, topOf(high, given.least, given.limit())];
  const [bottom, top] = [low ?? 0, high ?? 1];
  return [bottom - 0.05 * (top - bottom || 1), top * 1.08];
}

function seriesOf(line: ChartLine, { ink, spanGaps }: PlotOptions): uPlot.Series {
  const dots = line.look === 'dots';
  const edge = line.look === 'high' || line.look === 'low';
  const colour = ink(line.colour);
  return {
    stroke: colour,
    spanGaps,
    width: dots || edge ? 0 : line.look === 'line' ? 1.5 : 2,
    fill: line.look === 'area' ? ink(line.colour, 0.14) : undefined,
    points: { show: dots, size: 3, fill: colour, stroke: colour },
  };
}

function drawBands(plot: uPlot, { bands, ink }: PlotOptions): void {
  const { left, top, width, height } = plot.bbox;
  plot.ctx.fillStyle = ink('var(--warn)', 0.1);
  for (const { from, to } of bands()) {
    const begin = Math.max(plot.valToPos(from, 'x', true), left);
    const end = Math.min(plot.valToPos(to, 'x', true), left + width);
    if (end > begin) plot.ctx.fillRect(begin, top, end - begin, height);
  }
}

function drawMarks(plot: uPlot, { limit, now, range, ink }: PlotOptions): void {
  const { left, top, width, height } = plot.bbox;
  const [bound, time, [from, to]] = [limit(), now(), range()];
  if (bound !== undefined && bound <= (plot.scales.y?.max ?? 0)) {
    const y = Math.round(plot.valToPos(bound, 'y', true));
    dashed(plot, ink('var(--warn)'), [left, y], [left + width, y]);
  }
  if (time !== undefined && time >= from && time <= to) {
    const x = Math.round(plot.valToPos(time, 'x', true));
    dashed(plot, ink('var(--line-strong)'), [x, top], [x, top + height]);
  }
}

type Place = [x: number, y: number];

function dashed({ ctx }: uPlot, colour: string, from: Place, to: Place): void {
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = Math.max(1, devicePixelRatio);
  ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(...from);
  ctx.lineTo(...to);
  ctx.stroke();
  ctx.restore();
}

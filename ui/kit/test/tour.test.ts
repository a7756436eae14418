import { describe, expect, it } from 'vitest';
import type { Route } from '../src/shell/app.ts';
import { inView, placeCard } from '../src/tour/place.ts';
import { reachable, type TourStep } from '../src/tour/steps.ts';

const route = (path: string): Route => ({ path, title: () => path, load: () => Promise.reject() });
const step = (path: string): TourStep => ({
  title: () => path,
  text: () => path,
  path,
  target: 'list',
});

describe('steps of the tour', () => {
  it('leave out pages that the person may not open', () => {
    const steps = ['/', '/sharing', '/history'].map(step);
    const shown = reachable(steps, [route('/'), route('/history')]);
    expect(shown.map(({ path }) => path)).toEqual(['/', '/history']);
  });
});

describe('card of the tour', () => {
  const card = { width: 300, height: 200 };
  const room = { width: 1000, height: 800 };
  const corner = { left: 684, top: 584 };
  const at = (left: number, top: number, right: number, bottom: number) =>
    placeCard({ left, top, right, bottom }, card, room);

  it('is below its target, or above if there is no room', () => {
    expect(at(100, 50, 400, 100)).toEqual({ left: 100, top: 116 });
    expect(at(100, 600, 400, 700)).toEqual({ left: 100, top: 384 });
  });

  it('stays inside the window', () => expect(at(900, 10, 990, 40).left).toBe(684));

  it('is next to a tall target', () => {
    expect(at(0, 0, 200, 800)).toEqual({ left: 216, top: 16 });
    expect(at(600, 0, 1000, 800)).toEqual({ left: 284, top: 16 });
  });

  it('is in the corner without a target, or if the target covers the page', () => {
    expect(placeCard(null, card, room)).toEqual(corner);
    expect(at(0, 0, 1000, 800)).toEqual(corner);
  });
});

describe('target of the tour', () => {
  it('is scrolled to unless all of it is visible', () => {
    expect(inView({ left: 0, right: 0, top: 0, bottom: 500 }, 500)).toBe(true);
    expect(inView({ left: 0, right: 0, top: -1, bottom: 500 }, 500)).toBe(false);
    expect(inView({ left: 0, right: 0, top: 10, bottom: 501 }, 500)).toBe(false);
  });
});

import { describe, expect, it } from 'vitest';
import { firstRunOf, hasRun } from '../src/forecast/firstRun.ts';

const RUN = { run: 6, steps: 3, complete: true, age: 0 };
const fetching = (done: number, steps: number) => ({ run: 6, done, steps });
const model = (name: string, rest: object = {}) => ({
  name,
  runs: [],
  fetching: null,
  trouble: null,
  ...rest,
});

describe('a site without forecasts', () => {
  it('names the model that will be ready first', () => {
    const far = model('ICON', { runs: [RUN], fetching: fetching(20, 113) });
    const near = model('ICON-D2', { runs: [RUN], fetching: fetching(12, 49) });
    expect(firstRunOf([far, near, model('GFS', { fetching: fetching(0, 209) })])).toMatchObject({
      state: 'loading',
      name: 'ICON-D2',
      done: 12,
    });
  });

  it('is silent only if no service answers', () => {
    const silent = model('ICON', { trouble: 'no_answer' });
    expect(firstRunOf([silent, silent]).state).toBe('silent');
    expect(firstRunOf([silent, model('GFS')]).state).toBe('waiting');
    expect(firstRunOf([]).state).toBe('waiting');
  });

  it('ends with the first whole run', () => {
    const next = model('ICON', { runs: [RUN, { ...RUN, run: 0 }], fetching: fetching(1, 3) });
    expect(hasRun(next)).toBe(true);
    expect(firstRunOf([next]).state).toBe('served');
    expect(hasRun(model('ICON', { runs: [RUN], fetching: fetching(1, 3) }))).toBe(false);
  });
});

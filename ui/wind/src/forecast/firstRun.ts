import type { components } from '../api.d.ts';

type Model = Pick<components['schemas']['ModelInfo'], 'name' | 'runs' | 'fetching' | 'trouble'>;

type FirstRun =
  | { state: 'served' | 'silent' | 'waiting' }
  | { state: 'loading'; name: string; done: number; steps: number };

/** Whether a run can be read; the one that is being fetched cannot yet. */
export function hasRun({ runs, fetching }: Pick<Model, 'runs' | 'fetching'>): boolean {
  return runs.some(({ run }) => run !== fetching?.run);
}

/** Returns how far a site without forecasts is; of several models, the one that is ready first. */
export function firstRunOf(models: Model[]): FirstRun {
  if (models.some(hasRun)) return { state: 'served' };
  const coming = models
    .flatMap(({ name, fetching }) => (fetching?.done ? [{ name, ...fetching }] : []))
    .sort((one, other) => other.done / other.steps - one.done / one.steps)[0];
  if (coming) return { state: 'loading', ...coming };
  const silent = models.length > 0 && models.every(({ trouble }) => trouble === 'no_answer');
  return { state: silent ? 'silent' : 'waiting' };
}

import { live } from '../service.ts';
import type { Changed, Topic } from './types.ts';

/** Call `run` when data of one of these topics has changed; returns a function to stop. */
export function whenChanged(topics: Topic[], run: (change: Changed) => void): () => void {
  return live.on<Changed>('changed', (change) => topics.includes(change.topic) && run(change));
}

import { live } from '../service.ts';
import type { Changed, Topic } from './types.ts';

/** Call `run` when data of one of these topics has changed; returns a function to stop. */
export function whenChanged(topics: Topic[], run: () => void): () => void {
  return live.on<Changed>('changed', ({ topic }) => topics.includes(topic) && run());
}

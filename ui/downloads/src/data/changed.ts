import { live } from '../service.ts';
import type { Changed, Topic } from './types.ts';

/** Runs when data of one of these kinds have changed; returns how to stop. */
export function whenChanged(topics: Topic[], run: () => void): () => void {
  return live.on<Changed>('changed', ({ topic }) => topics.includes(topic) && run());
}

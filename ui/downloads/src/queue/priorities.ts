import * as m from '../paraglide/messages.js';

/** Highest first. */
export const priorities = [2, 1, 0, -1, -2] as const;

const WORDS: Record<number, () => string> = {
  2: m.priority_highest,
  1: m.priority_high,
  0: m.priority_normal,
  [-1]: m.priority_low,
  [-2]: m.priority_lowest,
};

export const priorityWord = (priority: number): string => WORDS[priority]?.() ?? `${priority}`;

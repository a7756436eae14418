import type { Tone } from '@quartet/kit';
import type { Job } from '../data/types.ts';
import { JOB_STATES } from '../data/labels.ts';
import * as m from '../paraglide/messages.js';

/** Describes a job by what is most urgent: failed files, then those to review, then those ready. */
export function stateOfJob({ status, items, error }: Job): { words: string; tone: Tone } {
  const { failed = 0, needs_review: review = 0, ready = 0, done = 0, skipped = 0 } = items;
  const ended = ['ready', 'done', 'cancelled', 'failed'].includes(status);
  if (!ended || status === 'cancelled') return { words: JOB_STATES[status](), tone: 'idle' };
  if (error) return { words: JOB_STATES.failed(), tone: 'bad' };
  if (failed > 0) return { words: m.rename_count_failed({ count: failed }), tone: 'bad' };
  if (review > 0) return { words: m.rename_count_review({ count: review }), tone: 'warn' };
  if (ready > 0) return { words: m.jobs_ready({ count: ready }), tone: 'active' };
  if (done > 0) return { words: m.rename_result_done({ count: done }), tone: 'good' };
  // For example because the target exists.
  const words = skipped > 0 ? m.rename_count_skipped({ count: skipped }) : JOB_STATES[status]();
  return { words, tone: 'idle' };
}

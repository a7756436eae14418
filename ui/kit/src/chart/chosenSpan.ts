import { router } from '../router/router.svelte.ts';
import { isSpan, type Span } from './trends.ts';

/** The span of the charts on this page, from the address. */
export function chosenSpan(): Span {
  const span = router.query.get('span');
  return isSpan(span) ? span : '15m';
}

import { router } from '@quartet/kit';
import type { components } from '../api.d.ts';

export type UsedSurface = NonNullable<components['schemas']['PointForecast']['surface']>;
export type Surface = Exclude<UsedSurface, 'mixed'>;

/** The surface that the address asks for; a shared link shows the same numbers. */
export function wantedSurface(): Surface | 'auto' {
  const wanted = router.query.get('surface');
  return wanted === 'sea' || wanted === 'land' ? wanted : 'auto';
}

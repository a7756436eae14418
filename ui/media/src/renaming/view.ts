import { router } from '@quartet/kit';

/** How files are shown: as a list, or as posters of their titles. */
export const viewOf = (): 'list' | 'posters' =>
  router.query.get('view') === 'posters' ? 'posters' : 'list';

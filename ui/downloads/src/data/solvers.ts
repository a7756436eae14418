import { body, Loader } from '@quartet/kit';
import { api, live } from '../service.ts';
import { whenChanged } from './changed.ts';
import type { Solver } from './types.ts';

/** The captcha services of the user. */
export const solvers = new Loader<Solver[]>(() => body(api.GET('/api/captcha-services')), {
  live,
  reloadOn: (refresh) => [whenChanged(['solvers'], refresh)],
});

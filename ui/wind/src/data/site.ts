import { body, Loader } from '@quartet/kit';
import { api } from '../service.ts';

/**
 * Public information about the site. Errors are ignored: without it no notice is shown, and the
 * server still enforces its rules.
 */
export const siteInfo = new Loader(() => body(api.GET('/api/site')));

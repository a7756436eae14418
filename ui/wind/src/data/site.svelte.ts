import { body } from '@quartet/kit';
import { api } from '../service.ts';
import type { Site } from './types.ts';

/** Public information about the site, loaded once. */
class SiteInfo {
  #value = $state.raw<Site>();

  get value(): Site | undefined {
    return this.#value;
  }

  async load(): Promise<void> {
    try {
      this.#value = await body(api.GET('/api/site'));
    } catch {
      // Without it no notice is shown; the server still enforces its rules.
    }
  }
}

export const siteInfo = new SiteInfo();

import { body } from '@quartet/kit';
import { api } from '../service.ts';
import type { Site } from './types.ts';

/** What a visitor needs to know first; asked once. */
class SiteInfo {
  #value = $state.raw<Site>();

  get value(): Site | undefined {
    return this.#value;
  }

  async load(): Promise<void> {
    try {
      this.#value = await body(api.GET('/api/site'));
    } catch {
      // Without it no notice is shown and the server itself refuses what is not allowed.
    }
  }
}

export const siteInfo = new SiteInfo();

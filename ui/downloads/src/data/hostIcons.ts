import { body, Loader } from '@quartet/kit';
import { api, live } from '../service.ts';
import { whenChanged } from './changed.ts';

/** Which hosts have an icon. The server fetches the icons of new hosts when it is asked for this. */
class HostIcons {
  readonly #loader = new Loader(
    async () => new Map(Object.entries((await body(api.GET('/api/hosts/icons'))).hosts)),
    { live, reloadOn: (refresh) => [whenChanged(['icons', 'settings'], refresh)] },
  );
  #wanted = new Set<string>();

  start(): () => void {
    return this.#loader.start();
  }

  has(host: string): boolean {
    return this.#loader.value?.get(host) ?? false;
  }

  /** Ask the server again if a host is shown that it did not mention. */
  want(host: string): void {
    const known = this.#loader.value;
    if (!known || known.has(host) || this.#wanted.has(host)) return;
    this.#wanted.add(host);
    this.#loader.refresh();
  }
}

export const hostIcons = new HostIcons();

import { body } from '@quartet/kit';
import { api } from '../service.ts';
import type { Options, ShownOptions } from './types.ts';

export function readOptions(): Promise<ShownOptions> {
  return body(api.GET('/api/settings'));
}

/** What is left out gets its default, so everything is sent. */
export function replaceOptions(options: Options): Promise<ShownOptions> {
  return body(api.PUT('/api/settings', { body: options }));
}

let lastChange: Promise<unknown> = Promise.resolve();

/** Changes some options and keeps what others have set; each change waits for the one before. */
export function changeOptions(changes: Partial<Options>): Promise<ShownOptions> {
  const change = async (): Promise<ShownOptions> =>
    replaceOptions({ ...changeable(await readOptions()), ...changes });
  const changed = lastChange.then(change);
  lastChange = changed.catch(() => undefined);
  return changed;
}

/** Without what was decided when the program was started. */
export function changeable(shown: ShownOptions): Options {
  const { tmpDir: _tmp, doneDir: _done, apiTokenSet: _set, version: _version, ...options } = shown;
  return options;
}

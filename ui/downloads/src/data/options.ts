import { body } from '@quartet/kit';
import { api } from '../service.ts';
import type { Options, ShownOptions } from './types.ts';

export function readOptions(): Promise<ShownOptions> {
  return body(api.GET('/api/settings'));
}

/** Replace all options; omitted ones would be reset to their defaults. */
export function replaceOptions(options: Options): Promise<ShownOptions> {
  return body(api.PUT('/api/settings', { body: options }));
}

let lastChange: Promise<unknown> = Promise.resolve();

/** Change some options and keep the rest; changes are sent one after another. */
export function changeOptions(changes: Partial<Options>): Promise<ShownOptions> {
  const change = async (): Promise<ShownOptions> =>
    replaceOptions({ ...changeable(await readOptions()), ...changes });
  const changed = lastChange.then(change);
  lastChange = changed.catch(() => undefined);
  return changed;
}

/** The options without the values that are fixed at startup. */
export function changeable(shown: ShownOptions): Options {
  const {
    tmpDir: _tmp,
    doneDir: _done,
    cnlPort: _port,
    apiTokenSet: _set,
    utcOffsetMinutes: _offset,
    dlc: _dlc,
    version: _version,
    ...options
  } = shown;
  return options;
}

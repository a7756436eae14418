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

/** Changes some options and keeps what others have set in the meantime. */
export async function changeOptions(changes: Partial<Options>): Promise<ShownOptions> {
  return replaceOptions({ ...changeable(await readOptions()), ...changes });
}

/** Without what was decided when the program was started. */
export function changeable(shown: ShownOptions): Options {
  const { tmpDir: _tmp, doneDir: _done, apiTokenSet: _set, version: _version, ...options } = shown;
  return options;
}

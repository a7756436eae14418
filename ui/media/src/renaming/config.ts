import type { Folder, JobConfig } from '../data/types.ts';
import { newRule } from '../rules/kinds.ts';
import * as m from '../paraglide/messages.js';

/** Default options of a job. */
export const usual: JobConfig = {
  mode: 'media',
  rules: [],
  action: 'move',
  conflictPolicy: 'skip',
  inPlace: false,
  review: false,
  recursive: true,
  folders: false,
};

export const LIBRARIES = 'libraries';
const IN_PLACE = 'in-place';

/** The target as one choice: the libraries, in place, or one folder. */
export const targetOf = ({ inPlace, target }: JobConfig): string =>
  inPlace ? IN_PLACE : target ? target : LIBRARIES;

export function withTarget(config: JobConfig, choice: string): JobConfig {
  const folder = choice !== LIBRARIES && choice !== IN_PLACE;
  return { ...config, inPlace: choice === IN_PLACE, target: folder ? choice : null };
}

export function targetOptions(folders: readonly Folder[]): { value: string; label: string }[] {
  const paths = new Map(folders.map(({ path, name }) => [path, name]));
  return [
    { value: LIBRARIES, label: m.target_libraries() },
    { value: IN_PLACE, label: m.target_in_place() },
    ...[...paths].map(([value, name]) => ({ value, label: m.target_to({ name }) })),
  ];
}

/** Rules alone rename in place unless a folder is chosen. */
export function withMode(config: JobConfig, mode: JobConfig['mode']): JobConfig {
  const inPlace = mode === 'rules' ? !config.target : mode === config.mode && config.inPlace;
  // A rule job needs at least one rule; this is the most common first one.
  const ruled = mode === 'rules' || mode === 'both';
  const rules = !ruled || config.rules?.length ? config.rules : [newRule('replace')];
  return { ...config, mode, inPlace, rules };
}

/** Label of the main button. */
export function doWords({ action, inPlace }: JobConfig, count: number): string {
  if (action === 'test') return m.do_test({ count });
  if (action === 'copy') return m.do_copy({ count });
  if (action !== 'move') return m.do_link({ count });
  return inPlace ? m.do_rename({ count }) : m.do_move({ count });
}

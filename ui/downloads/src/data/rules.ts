import { bytes, body, Loader } from '@quartet/kit';
import * as m from '../paraglide/messages.js';
import { priorityWord } from '../queue/priorities.ts';
import { api, live } from '../service.ts';
import type { FileType, Rule } from './types.ts';

/** All rules in the order in which they apply. */
export const rules = new Loader(async () => (await body(api.GET('/api/rules'))).rules, { live });

/** Replace all rules; errors are handled by the caller. */
export async function saveRules(next: readonly Rule[]): Promise<void> {
  await api.PUT('/api/rules', { body: { rules: [...next] } });
  await rules.reload();
}

export const emptyRule = (): Rule => ({
  name: '',
  enabled: true,
  conditions: { hosts: '', name: '', package: '', source: '' },
  actions: { packageName: '', folder: '', password: '', start: false, skip: false },
});

export const fileTypes: readonly FileType[] = [
  'archive',
  'video',
  'audio',
  'image',
  'document',
  'program',
];

const TYPES: Record<FileType, () => string> = {
  archive: m.type_archive,
  video: m.type_video,
  audio: m.type_audio,
  image: m.type_image,
  document: m.type_document,
  program: m.type_program,
};

export const typeWord = (type: FileType): string => TYPES[type]();

/** The hosts of a rule, written with spaces or commas between them. */
export const hostsOfRule = ({ conditions }: Rule): string[] => [
  ...new Set((conditions.hosts ?? '').split(/[\s,]+/).filter(Boolean)),
];

/** What a rule asks for, in a few words. */
export function conditionTexts({ conditions }: Rule): string[] {
  const { hosts, name, package: inPackage, source, minSize, maxSize, types } = conditions;
  return [
    hosts ? `${m.rule_hosts()}: ${hosts}` : '',
    name ? `${m.rule_name_pattern()}: ${name}` : '',
    types?.length ? types.map(typeWord).join(', ') : '',
    minSize ? `≥ ${bytes(minSize)}` : '',
    maxSize ? `≤ ${bytes(maxSize)}` : '',
    inPackage ? `${m.rule_package()}: ${inPackage}` : '',
    source ? `${m.rule_source()}: ${source}` : '',
  ].filter(Boolean);
}

/** What a rule does, in a few words. */
export function actionTexts({ actions }: Rule): string[] {
  const { packageName, folder, priority, password, extract, start, skip } = actions;
  if (skip) return [m.rule_skip()];
  return [
    packageName ? `${m.rule_package()}: ${packageName}` : '',
    folder ? `${m.rule_folder()}: ${folder}` : '',
    typeof priority === 'number' ? priorityWord(priority) : '',
    password ? m.rule_password() : '',
    typeof extract === 'boolean' ? (extract ? m.rule_extract_yes() : m.rule_extract_no()) : '',
    start ? m.rule_start() : '',
  ].filter(Boolean);
}

import type { Rule } from '../data/types.ts';

export type RuleKind = Rule['type'];

/** How a value of a rule is entered; options have messages named `ruleoption_…`. */
export type RuleField =
  | { key: string; as: 'text' | 'number' | 'switch' | 'lines' }
  | { key: string; as: 'choice'; options: string[] };

interface KindInfo {
  fields: RuleField[];
  /** Initial values of a new rule. */
  first: Record<string, unknown>;
}

const text = (key: string): RuleField => ({ key, as: 'text' });
const number = (key: string): RuleField => ({ key, as: 'number' });
const flag = (key: string): RuleField => ({ key, as: 'switch' });
const choice = (key: string, ...options: string[]): RuleField => ({ key, as: 'choice', options });

export const RULE_KINDS: Record<RuleKind, KindInfo> = {
  replace: {
    fields: [text('find'), text('replace'), flag('regex'), flag('caseSensitive'), flag('all')],
    first: { find: '', replace: '', regex: false, caseSensitive: false, all: true },
  },
  insert: {
    fields: [text('text'), choice('position', 'start', 'end', 'index'), number('index')],
    first: { text: '', position: 'start', index: 0 },
  },
  remove: {
    fields: [number('from'), number('count'), flag('fromEnd')],
    first: { from: 0, count: 1, fromEnd: false },
  },
  case: {
    fields: [choice('to', 'title', 'lower', 'upper', 'sentence')],
    first: { to: 'title' },
  },
  separators: { fields: [text('separator')], first: { separator: ' ' } },
  numbering: {
    fields: [
      number('start'),
      number('step'),
      number('padding'),
      choice('position', 'start', 'end', 'replace'),
      text('separator'),
      choice('sort', 'list', 'name'),
      flag('perFolder'),
    ],
    first: {
      start: 1,
      step: 1,
      padding: 2,
      position: 'start',
      separator: ' ',
      sort: 'list',
      perFolder: false,
    },
  },
  date: {
    fields: [
      choice('source', 'mtime', 'birthtime'),
      text('format'),
      choice('position', 'start', 'end', 'replace'),
      text('separator'),
    ],
    first: { source: 'mtime', format: 'YYYY-MM-DD', position: 'start', separator: ' ' },
  },
  extension: {
    fields: [text('to'), choice('case', 'keep', 'lower', 'upper')],
    first: { to: '', case: 'lower' },
  },
  transliterate: { fields: [flag('stripDiacritics')], first: { stripDiacritics: false } },
  cutAfter: {
    fields: [text('pattern'), flag('regex'), flag('keepMatch')],
    first: { pattern: '', regex: false, keepMatch: false },
  },
  pad: { fields: [number('digits')], first: { digits: 2 } },
  cleanup: {
    fields: [flag('brackets'), flag('separators'), flag('spaces')],
    first: { brackets: true, separators: true, spaces: true },
  },
  strip: {
    fields: [flag('digits'), flag('symbols'), text('chars')],
    first: { digits: false, symbols: false, chars: '' },
  },
  rearrange: {
    fields: [text('delimiter'), text('pattern')],
    first: { delimiter: ' - ', pattern: '$2 - $1' },
  },
  list: {
    fields: [{ key: 'names', as: 'lines' }, choice('sort', 'list', 'name')],
    first: { names: [], sort: 'list' },
  },
  metadata: {
    fields: [text('template'), choice('position', 'replace', 'start', 'end'), text('folders')],
    first: { template: '{artist} - {title}', position: 'replace', folders: '' },
  },
};

let made = 0;

/** Creates a rule with default values and an id that survives reordering. */
export function newRule(type: RuleKind): Rule {
  const id = `${Date.now().toString(36)}${made++}`;
  const common = { id, enabled: true, target: 'name', appliesTo: 'all' };
  return { type, ...common, ...RULE_KINDS[type].first } as Rule;
}

/** Sets saved elsewhere may have missing or duplicate ids. */
export function withIds(rules: readonly Rule[]): Rule[] {
  const seen = new Set<string>();
  return rules.map((rule) => {
    const id = rule.id && !seen.has(rule.id) ? rule.id : newRule(rule.type).id;
    seen.add(id);
    return { ...rule, id };
  });
}

/** Moves a rule before another one; -1 moves it to the end. */
export function movedRule(rules: readonly Rule[], from: number, to: number): Rule[] {
  const next = [...rules];
  const [rule] = next.splice(from, 1);
  if (rule) next.splice(to < 0 ? next.length : to, 0, rule);
  return next;
}

/** The name before and after each rule; undefined for a disabled rule. */
export function stepsOf(
  rules: readonly Rule[],
  name: string,
  steps: readonly string[],
): ({ before: string; after: string } | undefined)[] {
  let before = name;
  let next = 0;
  return rules.map(({ enabled }) => {
    if (!enabled) return undefined;
    const after = steps[next++] ?? before;
    const step = { before, after };
    before = after;
    return step;
  });
}

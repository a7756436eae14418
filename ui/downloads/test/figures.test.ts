import { describe, expect, it } from 'vitest';
import { registerMessages } from '../../kit/src/texts/errors.ts';
import { figuresOf } from '../src/data/figures.ts';
import { lineWords } from '../src/queue/columns.ts';
import type { Row } from '../src/data/rows.ts';
import type { Download, ProgressItem, Status } from '../src/data/types.ts';
import * as messages from '../src/paraglide/messages.js';

registerMessages(messages);

const row = (status: Status, values: object = {}): Row => {
  const download = { id: 1, status, bytesDone: 100, size: 100, url: '', ...values } as Download;
  return { kind: 'download', key: 'd1', download } as Row;
};
const late: ProgressItem = {
  id: 1,
  bytesDone: 40,
  size: 100,
  speed: 9,
  phase: null,
  eta: 7,
  segments: [],
};

it.each([
  ['downloading', 0.4, 9],
  ['finished', 1, 0],
  ['failed', 1, 0],
] as const)('figures of a %s download', (status, share, speed) => {
  const figures = figuresOf(row(status), new Map([[1, late]]), new Map());
  expect(figures).toMatchObject({ share, speed });
});

it('figures of a finished download whose file is checked', () => {
  const checked = { ...late, speed: 0, phase: 'checking' } as const;
  const figures = figuresOf(row('finished'), new Map([[1, checked]]), new Map());
  expect(figures).toMatchObject({ share: 0.4, tone: 'active', word: messages.phase_checking() });
});

it.each([
  ['downloading', {}, undefined],
  ['finished', {}, undefined],
  ['paused', {}, `${messages.state_paused()} · 100% / 100\u00a0B`],
  [
    'failed',
    { error: { code: 'stalled', inputs: { seconds: 30 } } },
    messages.error_stalled({ seconds: 30 }),
  ],
] as const)('line of a %s download on a phone', (status, values, words) => {
  expect(lineWords(row(status, values))).toBe(words);
});

describe('package', () => {
  const summary = { downloads: 1000, finished: 26, failed: 0, size: 26, bytesDone: 26, skipped: 0 };
  const bundle = (values: object): Row =>
    ({
      kind: 'package',
      key: 'p1',
      package: {
        id: 1,
        section: 'waiting',
        downloads: [],
        summary: { ...summary, unknownSizes: 974 },
        ...values,
      },
      shown: [],
    }) as unknown as Row;
  const figures = (values: object = {}) => figuresOf(bundle(values), new Map(), new Map());

  it('with unknown sizes counts its files instead of their bytes', () => {
    expect(figures()).toMatchObject({
      share: 0.026,
      size: undefined,
      word: '26 of 1,000 finished',
    });
  });

  it('with unknown sizes shows its bytes until a file is finished', () => {
    const begun = { ...summary, finished: 0, unknownSizes: 974, bytesDone: 26 };
    expect(figures({ summary: begun })).toMatchObject({ share: undefined, done: 26 });
  });

  it('with all sizes counts its bytes', () => {
    const known = { ...summary, size: 104, unknownSizes: 0 };
    expect(figures({ summary: known })).toMatchObject({ share: 0.25, size: 104 });
  });

  const reason = { code: 'server_files_notFoundAt', inputs: { path: 'a.rar' } };
  const failed = { id: 1, status: 'failed', section: 'failed', error: reason, url: '' };

  it.each([
    ['failed download', { downloads: [failed], summary: { ...summary, failed: 1 } }],
    ['failed extraction', { extract: 'failed', extractError: reason }],
    [
      'stopped download',
      { downloads: [{ ...failed, status: 'paused', section: 'attention' }], section: 'attention' },
    ],
    ['note of the extraction', { extract: 'done', extractNotes: [reason] }],
  ])('states the reason of a %s', (_, values) => {
    expect(figures(values).reason).toBe('The file or folder a.rar does not exist (any more).');
  });

  it('is paused if all that is left was paused, which is no warning', () => {
    const paused = { id: 1, status: 'paused', section: 'waiting', error: null, url: '' };
    const two = { ...summary, downloads: 2, finished: 1 };
    const loaded = [paused, { ...paused, id: 2, status: 'finished' }];
    const shown = figures({ summary: two, downloads: loaded, section: 'waiting' });
    expect(shown).toMatchObject({ word: 'Paused', tone: 'idle' });
    // The other download is not loaded, so its state is unknown.
    const part = figures({ summary: two, downloads: [paused], section: 'waiting' });
    expect(part.word).toBe('1 of 2 finished');
  });

  it('with a missing archive password is not finished', () => {
    const all = { ...summary, finished: 1000, unknownSizes: 0 };
    const extractError = { code: 'wrong_password', inputs: { archive: 'a.rar' } };
    const shown = figures({ summary: all, extract: 'failed', extractError });
    expect(shown).toMatchObject({ word: 'Needs password', tone: 'warn' });
    expect(shown.reason).toContain('a.rar');
  });
});

it.each(['failed', 'paused', 'queued'] as const)('%s download states its reason', (status) => {
  const error = { code: 'server_files_notFoundAt', inputs: { path: 'a.rar' } };
  const shown = figuresOf(row(status, { error }), new Map(), new Map());
  expect(shown.reason).toBe('The file or folder a.rar does not exist (any more).');
});

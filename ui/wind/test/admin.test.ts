import { registerMessages } from '../../kit/src/texts/errors.ts';
import { describe, expect, it } from 'vitest';
import { fits, merged } from '../src/admin/log/lines.ts';
import { partsOf } from '../src/admin/server/sizes.ts';
import { coordinatesOf, joined, splitPlaces } from '../src/admin/map/places.ts';
import { taskName } from '../src/admin/names.ts';
import { problemText } from '../src/admin/texts.ts';
import * as messages from '../src/paraglide/messages.js';
import { pageOf } from '../src/admin/paging.ts';
import { inviteState } from '../src/admin/users/invites.ts';
import { groupsOf, isDefault, wholeNumber } from '../src/admin/settings/groups.ts';
import type { LogLine, Setting } from '../src/admin/types.ts';
import { runText } from '../src/admin/run.ts';
import { sectionOf } from '../src/admin/problems.ts';
import { paragraphs, textFor } from '../src/legal/texts.ts';

const aLine = (id: number, more: Partial<LogLine> = {}): LogLine => ({
  type: 'line',
  id,
  time: 0,
  level: 'info',
  logger: 'quartet.wind',
  message: `line ${id}`,
  requestId: '',
  trace: '',
  ...more,
});

const aSetting = (key: string, more: Partial<Setting> = {}): Setting => ({
  key,
  type: 'text',
  default: '',
  value: '',
  limits: {},
  changedAt: null,
  changedBy: null,
  ...more,
});

describe('log', () => {
  it('filters live lines like the server', () => {
    const line = aLine(1, { level: 'warning', message: 'GFS: not yet', trace: 'Traceback' });
    expect(fits(line, 'warning', ' gfs ')).toBe(true);
    expect(fits(line, 'error', '')).toBe(false);
    expect(fits(line, 'debug', 'traceback')).toBe(true);
    expect(fits(line, 'debug', 'icon')).toBe(false);
  });

  it('keeps each line once, newest first, up to the limit', () => {
    const known = [aLine(3), aLine(2)];
    const ids = merged(known, [aLine(3), aLine(4), aLine(1)], 3).map((line) => line.id);
    expect(ids).toEqual([4, 3, 2]);
  });
});

describe('settings', () => {
  it('are grouped, and none is missing', () => {
    const keys = ['account_mode', 'notice_de', 'notice_en', 'backups_kept', 'map_spots', 'newer'];
    const { accounts, texts, more } = groupsOf(keys.map((key) => aSetting(key)));
    expect(accounts.map(({ key }) => key)).toEqual(['account_mode']);
    expect(texts.map(({ key }) => key)).toEqual(['notice']);
    expect(more.map(({ key }) => key)).toEqual(['backups_kept', 'newer']);
  });

  it('shows a text of one language in both', () => {
    expect(textFor('de', { de: '', en: 'Hello' })).toBe('Hello');
    expect(textFor('en', { de: 'Hallo', en: '' })).toBe('Hallo');
    expect(textFor('de', { de: 'Hallo', en: 'Hello' })).toBe('Hallo');
  });

  it('starts a paragraph after a blank line', () => {
    expect(paragraphs('one\ntwo\n\n\nthree\n \r\nfour\n')).toEqual(['one\ntwo', 'three', 'four']);
  });

  it('accepts only whole numbers within the limits', () => {
    const limits = { min: 1, max: 100 };
    expect(
      ['5', '100', '0', '101', '2.5', '', 'x'].map((text) => wholeNumber(text, limits)),
    ).toEqual([5, 100, null, null, null, null, null]);
  });

  it('knows the default, also of lists', () => {
    expect(isDefault(aSetting('map_spots', { default: [], value: [] }))).toBe(true);
    expect(isDefault(aSetting('notice_de', { value: 'x' }))).toBe(false);
  });
});

describe('tasks', () => {
  const sources = import.meta.glob<string>('../../../src/quartet/wind/**/*.py', {
    query: '?raw',
    import: 'default',
    eager: true,
  });
  const TASK =
    /\b(?:loop|BackgroundTask)\("([a-z ]+)"|\bevery\([^"]*\bname="([a-z ]+)"|^[A-Z]+ = "([a-z ]+)"$/gm;

  it('all have a readable name', () => {
    const names = Object.values(sources)
      .filter((text) => text.includes('quartet.kernel.supervisor import'))
      .flatMap((text) => [...text.matchAll(TASK)])
      .map(([, plain, repeated, constant]) => plain ?? repeated ?? constant ?? '');
    expect(names).toEqual(expect.arrayContaining(['log', 'metar', 'follow gauges', 'mirror']));
    const ids = [...names.map((name) => name.replaceAll(' ', '-')), 'leader-wind-work'];
    ids.push('audit', 'health', 'trends');
    expect(ids.filter((id) => taskName(id) === id)).toEqual([]);
  });
});

describe('incomplete runs', () => {
  it('name the cause in words', () => {
    const cause = { address: 'https://opendata.dwd.de' };
    const inputs = { model: 'icon-eu', reason: 'bad_answer', cause };
    registerMessages(messages);
    const text = problemText({ code: 'run_incomplete', inputs });
    expect(text).toContain('https://opendata.dwd.de');
    expect(text).not.toContain('bad_answer');
  });
});

describe('labelled places', () => {
  const helgoland = { name: 'Helgoland', lat: 54.18, lon: 7.89 };
  const kiel = { name: 'Kiel', lat: 54.32, lon: 10.13 };

  it('are one list in the editor and two on the server', () => {
    const places = joined([helgoland, kiel], [kiel]);
    expect(places.map(({ name, pinned }) => [name, pinned])).toEqual([
      ['Kiel', true],
      ['Helgoland', false],
    ]);
    expect(splitPlaces(places)).toEqual({ spots: [helgoland], pinned: [kiel] });
  });

  it('have valid coordinates', () => {
    expect(coordinatesOf('54.18, 7.89')).toEqual({ lat: 54.18, lon: 7.89 });
    expect(coordinatesOf('-33.9 151.2')).toEqual({ lat: -33.9, lon: 151.2 });
    expect(['91, 0', '0, 181', '54', 'north', ''].map(coordinatesOf)).toEqual(Array(5).fill(null));
  });
});

describe('lists', () => {
  it('show the current range and the neighbouring pages', () => {
    expect(pageOf(0, 50, 120)).toEqual({ first: 1, last: 50, before: null, after: 50 });
    expect(pageOf(100, 50, 120)).toEqual({ first: 101, last: 120, before: 50, after: null });
    expect(pageOf(0, 50, 0)).toEqual({ first: 0, last: 0, before: null, after: null });
  });

  it('sort storage by size', () => {
    const database = { kind: 'sqlite', bytes: 100, reclaimable: 0 };
    const parts = partsOf({ database, folders: { grids: 300, keys: 0 } });
    expect(parts).toEqual([
      { id: 'grids', bytes: 300, share: 0.75 },
      { id: 'database', bytes: 100, share: 0.25 },
    ]);
  });

  it('distinguish open, used and expired invites', () => {
    expect(inviteState({ usedAt: null, expiresAt: 10 }, 9)).toBe('open');
    expect(inviteState({ usedAt: null, expiresAt: 10 }, 10)).toBe('expired');
    expect(inviteState({ usedAt: 5, expiresAt: 10 }, 20)).toBe('used');
  });
});

describe('names', () => {
  it('link a problem to its section', () => {
    const at = (code: string, inputs = {}): string => sectionOf({ code, inputs } as never);
    expect(at('source_missing', { source: 'gfs' })).toBe('forecasts');
    expect(at('source_overdue', { source: 'metar' })).toBe('measurements');
    expect(at('disk_nearly_full')).toBe('storage');
    expect(at('messages_failed')).toBe('alarms');
    expect(at('task_failed', { task: 'alarms' })).toBe('tasks');
  });

  it('name a run by its UTC hour', () => {
    expect(runText(1794700800, 'en')).toContain('00:00 UTC');
    expect(runText(1794744000, 'de')).toContain('12:00 UTC');
  });
});

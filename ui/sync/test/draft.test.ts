import { describe, expect, it } from 'vitest';
import {
  type Cell,
  cellsOf,
  changed,
  existing,
  OFF,
  rebased,
  rowsOf,
  templatePath,
} from '../src/matrix/draft.ts';
import { aDevice, aFolder, aShare } from './fixtures.ts';

const place = { folderId: 10, deviceId: 1 };
const both: Cell = { mode: 'both', path: '/a' };
const send: Cell = { mode: 'send', path: '/a' };
const draft = changed(new Map(), place, both, send);

describe('a draft', () => {
  it('contains only changes that differ from the current state', () => {
    expect(rowsOf(draft)).toEqual([{ ...place, mode: 'send', path: '/a' }]);
    expect(changed(draft, place, both, both).size).toBe(0);
    expect(changed(new Map(), place, OFF, { mode: 'off', path: '/typed' }).size).toBe(0);
  });

  it('sends no path for a share that is off', () => {
    expect(rowsOf(changed(new Map(), place, both, OFF))).toEqual([{ ...place, mode: 'off' }]);
  });

  it('is rebased on unrelated changes', () => {
    const { changes, clashes } = rebased(draft, new Map([['10:1', both]]));
    expect([changes.size, clashes.size]).toEqual([1, 0]);
  });

  it('drops changes that are already done', () => {
    expect(rebased(draft, new Map([['10:1', send]])).changes.size).toBe(0);
  });

  it('reports conflicting changes of other users', () => {
    const other: Cell = { mode: 'receive', path: '/b' };
    const { changes, clashes } = rebased(draft, new Map([['10:1', other]]));
    expect([...clashes]).toEqual(['10:1']);
    expect(changes.get('10:1')?.before).toEqual(other);
    expect(changes.get('10:1')?.after).toEqual(send);
  });

  it('drops removed devices and folders', () => {
    expect(existing(draft, [aDevice()], [aFolder()]).size).toBe(1);
    expect(existing(draft, [], [aFolder()]).size).toBe(0);
    expect(existing(draft, [aDevice()], []).size).toBe(0);
  });
});

describe('the path of the template', () => {
  const folder = aFolder({ label: 'Music: best.' });
  const template = '~/Sync/{folder}';

  it('contains the name of the folder in a form that every system accepts', () => {
    expect(templatePath(aDevice(), folder, template, [])).toBe('~/Sync/Music- best');
    const windows = aDevice({ os: 'windows' });
    expect(templatePath(windows, folder, template, [])).toBe('~\\Sync\\Music- best');
  });

  it('is that of the device if it has one', () => {
    const device = aDevice({ pathTemplate: '/mnt/{folder}' });
    expect(templatePath(device, folder, template, [])).toBe('/mnt/Music- best');
  });

  it('has a number if another folder uses it', () => {
    const taken = ['~/Sync/Music- best', '~/Sync/Music- best 2'];
    expect(templatePath(aDevice(), folder, template, taken)).toBe('~/Sync/Music- best 3');
  });
});

it('sends the patterns of a share only if they change', () => {
  const selective = { ...both, patterns: ['/raw'] };
  expect(rowsOf(changed(new Map(), place, both, selective))).toEqual([
    { ...place, mode: 'both', path: '/a', ignorePatterns: ['/raw'] },
  ]);
  expect(rowsOf(changed(new Map(), place, selective, { ...selective, mode: 'send' }))).toEqual([
    { ...place, mode: 'send', path: '/a' },
  ]);
});

it('converts shares to cells', () => {
  expect(cellsOf([aShare()]).get('10:1')).toEqual({ mode: 'both', path: '/home/robin/Photos' });
});

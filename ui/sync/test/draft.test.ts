import { describe, expect, it } from 'vitest';
import {
  type Cell,
  cellsOf,
  changed,
  existing,
  OFF,
  rebased,
  rowsOf,
  suggestedPath,
} from '../src/matrix/draft.ts';
import { aDevice, aFolder, aShare } from './fixtures.ts';

const place = { folderId: 10, deviceId: 1 };
const both: Cell = { mode: 'both', path: '/a' };
const send: Cell = { mode: 'send', path: '/a' };
const draft = changed(new Map(), place, both, send);

describe('a draft', () => {
  it('holds what differs, and nothing that leads back to what is', () => {
    expect(rowsOf(draft)).toEqual([{ ...place, mode: 'send', path: '/a' }]);
    expect(changed(draft, place, both, both).size).toBe(0);
    expect(changed(new Map(), place, OFF, { mode: 'off', path: '/typed' }).size).toBe(0);
  });

  it('sends no path with what is switched off', () => {
    expect(rowsOf(changed(new Map(), place, both, OFF))).toEqual([{ ...place, mode: 'off' }]);
  });

  it('goes on top of a newer state that has nothing to do with it', () => {
    const { changes, clashes } = rebased(draft, new Map([['10:1', both]]));
    expect([changes.size, clashes.size]).toEqual([1, 0]);
  });

  it('drops what somebody else has done already', () => {
    expect(rebased(draft, new Map([['10:1', send]])).changes.size).toBe(0);
  });

  it('tells of what somebody else has changed in another way', () => {
    const other: Cell = { mode: 'receive', path: '/b' };
    const { changes, clashes } = rebased(draft, new Map([['10:1', other]]));
    expect([...clashes]).toEqual(['10:1']);
    expect(changes.get('10:1')?.before).toEqual(other);
    expect(changes.get('10:1')?.after).toEqual(send);
  });

  it('forgets devices and folders that are gone', () => {
    expect(existing(draft, [aDevice()], [aFolder()]).size).toBe(1);
    expect(existing(draft, [], [aFolder()]).size).toBe(0);
    expect(existing(draft, [aDevice()], []).size).toBe(0);
  });
});

describe('the suggested path', () => {
  const folder = aFolder({ label: 'Music: best' });

  it('lies beside the other folders of the device', () => {
    expect(suggestedPath(aDevice(), folder, [aShare()])).toBe('/home/robin/Music- best');
    const windows = aDevice({ os: 'windows' });
    const shares = [aShare({ path: 'C:\\Users\\robin\\Photos' })];
    expect(suggestedPath(windows, folder, shares)).toBe('C:\\Users\\robin\\Music- best');
  });

  it('is left to the person where nothing is known', () => {
    expect(suggestedPath(aDevice(), folder, [])).toBe('');
  });
});

it('reads the shares as cells', () => {
  expect(cellsOf([aShare()]).get('10:1')).toEqual({ mode: 'both', path: '/home/robin/Photos' });
});

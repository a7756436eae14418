import { describe, expect, it } from 'vitest';
import { inRuns, runNames, runText } from '../src/activity/runs.ts';
import { revisionText } from '../src/data/codeTexts.ts';
import type { ActivityEvent } from '../src/data/types.ts';

const NOON = new Date(2026, 5, 1, 12).getTime() / 1000;
let next = 100;

function anEvent(values: Partial<ActivityEvent>): ActivityEvent {
  next -= 1;
  return {
    id: next,
    at: NOON + next,
    deviceId: 1,
    folderId: 10,
    kind: 'changed',
    code: 'files_changed',
    inputs: { device: 'Laptop', folder: 'Photos', count: 2, files: ['a', 'b'] },
    ...values,
  };
}

const connected = (device: string): ActivityEvent =>
  anEvent({ kind: 'connected', code: 'connected', folderId: null, inputs: { device } });

describe('the activity', () => {
  it('counts the files that a device changed in a folder without a break', () => {
    const files = ['b', 'c'];
    const last = anEvent({ inputs: { device: 'Laptop', folder: 'Photos', count: 3, files } });
    const runs = inRuns([anEvent({}), last, anEvent({ folderId: 11 }), anEvent({})]);
    expect(runs.map(({ events }) => events.length)).toEqual([2, 1, 1]);
    expect(runText(runs[0]!)).toBe('Laptop changed 4 files in Photos');
    expect(runNames(runs[0]!)).toEqual(['a', 'b', 'c']);
    // Stays the same when newer events are added to the run.
    expect(runs[0]!.id).toBe(last.id);
  });

  it('shows events of an older server, which name no files', () => {
    const [run] = inRuns([anEvent({ inputs: { device: 'Laptop', folder: 'Photos', count: 1 } })]);
    expect(runText(run!)).toBe('Laptop changed 1 file in Photos');
    expect(runNames(run!)).toEqual([]);
  });

  it('counts the devices that connect one after the other', () => {
    const runs = inRuns([connected('Laptop'), connected('Phone'), connected('Laptop')]);
    expect(runs).toHaveLength(1);
    expect(runText(runs[0]!)).toBe('2 devices connected');
    expect(runNames(runs[0]!)).toEqual(['Laptop', 'Phone']);
    const again = inRuns([connected('Laptop'), connected('Laptop')]);
    expect(runText(again[0]!)).toBe('Laptop connected ×2');
  });

  it('divides runs at midnight, and keeps different events apart', () => {
    expect(inRuns([anEvent({}), anEvent({ at: NOON - 86_400 })])).toHaveLength(2);
    const conflicts = ['a', 'b'].map((path) =>
      anEvent({ kind: 'conflict', code: 'conflict_found', inputs: { folder: 'Photos', path } }),
    );
    expect(inRuns(conflicts)).toHaveLength(2);
  });
});

describe('a change of shares', () => {
  const share = { folder: 'Photos', device: 'Phone', count: 1, before: 'off', after: 'both' };
  const text = (inputs: Record<string, unknown>) =>
    revisionText('shares_changed', { ...share, ...inputs });

  it('names the share and what changed', () => {
    expect(text({})).toBe('Photos: Phone off → both ways');
    expect(text({ before: 'both', path: '~/Pictures' })).toBe('Photos: now at ~/Pictures on Phone');
    expect(text({ before: 'both' })).toBe('Photos: other ignore patterns on Phone');
  });

  it('counts further shares', () => {
    expect(text({ count: 4, after: 'send' })).toBe('Photos: Phone off → send only, and 3 more');
  });

  it('of an older server is only counted', () => {
    expect(revisionText('shares_changed', { count: 2 })).toBe('2 shares changed');
  });
});

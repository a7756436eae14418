import { describe, expect, it } from 'vitest';
import { healthOf, openCount, wrongClocks } from '../src/data/health.ts';
import { pressing, byDevice } from '../src/data/order.ts';
import { placed } from '../src/data/progress.ts';
import type { LiveStatus, Overview } from '../src/data/types.ts';
import { aDevice, aFolder, anOverview, aShare, aStatus } from './fixtures.ts';

const health = (overview: Overview, status: LiveStatus = aStatus({})) =>
  healthOf(
    overview,
    placed(overview.shares, overview.devices, overview.folders, status),
    status.hub,
  );

describe('the headline', () => {
  it('reports that everything is up to date', () => {
    expect(health(anOverview())).toEqual({ kind: 'good', devices: 1 });
  });

  it('reports a full disk first', () => {
    const problems = [{ code: 'health_disk_full', inputs: {} }];
    expect(health(anOverview({ problems, devices: [aDevice({ online: false })] })).kind).toBe(
      'disk',
    );
  });

  it('lists connected devices with a wrong clock', () => {
    const devices = [
      aDevice({ clockOffset: -120 }),
      aDevice({ id: 2, clockOffset: 600, online: false }),
      aDevice({ id: 3 }),
    ];
    expect(wrongClocks(anOverview({ devices })).map(({ id }) => id)).toEqual([1]);
  });

  it('names a single device that is behind', () => {
    const status = aStatus({ state: 'syncing', needFiles: 12, needBytes: 5 });
    expect(health(anOverview(), status)).toEqual({
      kind: 'one_behind',
      device: 'Laptop',
      count: 12,
    });
  });

  it('is not satisfied before the hub has everything', () => {
    const sending = aStatus({ bytes: 10, unsentItems: 3, unsentBytes: 5 });
    expect(health(anOverview(), sending)).toEqual({
      kind: 'one_sending',
      device: 'Laptop',
      count: 3,
    });
    const receiving = aStatus({});
    receiving.hub.folders[10] = { state: 'syncing', needFiles: 7 } as never;
    expect(health(anOverview(), receiving)).toEqual({ kind: 'hub_behind', count: 7 });
  });

  it('is not satisfied while folders wait for the hub or are paused', () => {
    const silent = aStatus({ files: 3, hubKnown: false });
    expect(health(anOverview(), silent)).toEqual({ kind: 'unconfirmed', count: 1 });
    const paused = aStatus({ state: 'paused', needFiles: 2, unsentItems: 4 });
    expect(health(anOverview(), paused)).toEqual({ kind: 'paused', count: 1 });
    const both = [aFolder(), aFolder({ id: 11 })];
    const device = aDevice({ pace: { paused: true, uploadKib: 0, downloadKib: 0 } });
    const shares = [aShare(), aShare({ folderId: 11 })];
    const stopped = anOverview({ devices: [device], folders: both, shares });
    expect(health(stopped)).toEqual({ kind: 'paused', count: 2 });
  });

  it('ranks errors before conflicts, and conflicts before progress', () => {
    const folders = [aFolder({ conflicts: 2 })];
    const error = { folderId: 10, code: 'not_writable', inputs: {} };
    const devices = [aDevice({ errors: [error] })];
    expect(health(anOverview({ folders, devices }))).toEqual({ kind: 'errors', count: 1 });
    expect(health(anOverview({ folders }))).toEqual({ kind: 'conflicts', count: 2 });
  });

  it('counts held shares, failing ones, and a folder that fails on the hub once', () => {
    const shares = [aShare(), aShare({ deviceId: 2 })];
    const devices = [aDevice(), aDevice({ id: 2 })];
    const overview = anOverview({ devices, shares });
    const failing = { ...aStatus({}), hub: aStatus({ state: 'error' }).devices[1]! };
    expect(health(overview, failing)).toEqual({ kind: 'errors', count: 1 });
    const held = anOverview({ devices, shares: [aShare({ held: true }), aShare({ deviceId: 2 })] });
    expect(health(held)).toEqual({ kind: 'errors', count: 1 });
    const away = [aDevice(), aDevice({ id: 2, refusal: 'epoch_left' })];
    expect(health(anOverview({ devices: away, shares }))).toEqual({ kind: 'errors', count: 1 });
  });

  it('counts for the badge whatever somebody has to decide', () => {
    const folders = [aFolder({ conflicts: 2 })];
    const overview = anOverview({ folders, shares: [aShare({ held: true })] });
    const shares = placed(overview.shares, overview.devices, overview.folders, aStatus({}));
    expect(openCount(overview, shares, aStatus({}).hub)).toBe(3);
    const hub = { folders: { 10: { state: 'idle', errors: 2, needFiles: 2 } as never } };
    expect(openCount(overview, shares, hub)).toBe(4);
  });

  it('reports a stopped hub if there are devices or folders, or if Syncthing is missing', () => {
    const { hub } = anOverview();
    const nothing = { devices: [], folders: [], shares: [] };
    const down = { ...hub, state: 'stopped' as const };
    expect(health(anOverview({ hub: down })).kind).toBe('hub');
    expect(health(anOverview({ hub: down, ...nothing })).kind).toBe('empty');
    const missing = { ...down, error: { code: 'engine_missing', inputs: {} } };
    expect(health(anOverview({ hub: missing, ...nothing })).kind).toBe('hub');
  });

  it('does not count blocked devices as offline', () => {
    const devices = [aDevice(), aDevice({ id: 2, online: false, blocked: true })];
    expect(health(anOverview({ devices }))).toEqual({ kind: 'good', devices: 2 });
    const away = [aDevice(), aDevice({ id: 2, online: false })];
    expect(health(anOverview({ devices: away })).kind).toBe('offline');
  });
});

describe('a share', () => {
  const progress = (status: LiveStatus, device = aDevice()) =>
    placed([aShare()], [device], [aFolder()], status)[0]?.progress;

  it('is up to date if nothing is missing', () => {
    expect(progress(aStatus({ bytes: 5 }))).toMatchObject({ state: 'ready', share: 1 });
  });

  it('prefers the figures of the hub, even for offline devices', () => {
    const status = aStatus({}, false);
    const completion = { 1: { percent: 40, needBytes: 6, needItems: 3, known: true } };
    status.hub.folders[10] = { state: 'idle', completion } as never;
    const away = progress(status, aDevice({ online: false }));
    expect(away).toMatchObject({ state: 'offline', share: 0.4, needItems: 3 });
  });

  it('lacks what either the device or the hub says', () => {
    const status = aStatus({ bytes: 6, needBytes: 4, needFiles: 80 });
    const completion = { 1: { percent: 100, needBytes: 0, needItems: 0, known: true } };
    status.hub.folders[10] = { state: 'idle', completion } as never;
    expect(progress(status)).toMatchObject({ state: 'syncing', share: 0.6, needItems: 80 });
    // Without an agent, the hub knows all there is to know.
    completion[1] = { percent: 40, needBytes: 6, needItems: 3, known: true };
    const derived = aStatus({ state: 'syncing', needFiles: 3, needBytes: 6 });
    derived.hub = status.hub;
    expect(progress(derived, aDevice({ agentless: true }))?.share).toBe(0.4);
  });

  it('never shows 100 % while items are missing', () => {
    expect(progress(aStatus({ needFiles: 1 }))).toMatchObject({ state: 'syncing', share: 0.99 });
  });

  it('is not up to date before the hub has its changes', () => {
    const own = { bytes: 10, unsentItems: 1, unsentBytes: 4 };
    expect(progress(aStatus(own))).toMatchObject({ state: 'sending', share: 0.6, unsentBytes: 4 });
    expect(progress(aStatus({ ...own, needFiles: 1 }))?.state).toBe('syncing');
  });

  it('is not up to date before device and hub know of each other', () => {
    const own = { files: 2, unsentItems: 2, bytes: 9, unsentBytes: 9, hubKnown: false };
    const status = aStatus(own);
    expect(progress(status)).toMatchObject({
      state: 'unconfirmed',
      share: undefined,
      unsentItems: 0,
    });
    // The hub knows what the device has, and has announced nothing: it lacks all of it.
    const completion = { 1: { percent: 100, needBytes: 0, needItems: 0, known: true } };
    status.hub.folders[10] = { state: 'syncing', completion } as never;
    expect(progress(status)).toMatchObject({ state: 'sending', share: 0, unsentItems: 2 });
    const empty = aStatus({ hubKnown: false });
    expect(progress(empty)?.state).toBe('unconfirmed');
    empty.hub.folders[10] = { state: 'idle', files: 0 } as never;
    expect(progress(empty)?.state).toBe('ready');
    empty.hub.folders[10] = { state: 'idle', files: 5 } as never;
    expect(progress(empty)?.state).toBe('unconfirmed');
  });

  it('is paused if its user or its device says so', () => {
    const state = (device = aDevice(), own: Parameters<typeof aStatus>[0] = {}) =>
      placed([aShare({ paused: true })], [device], [aFolder()], aStatus(own))[0]?.progress.state;
    expect(state(aDevice(), { state: 'paused' })).toBe('paused');
    // A connected agent has not done it yet.
    expect(state(aDevice(), { state: 'scanning' })).toBe('scanning');
    expect(state(aDevice({ online: false }))).toBe('paused');
    expect(state(aDevice({ agentless: true }))).toBe('paused');
    expect(progress(aStatus({ state: 'stopped' }))?.state).toBe('unknown');
  });

  it('reports what blocks it', () => {
    expect(progress(aStatus({ errors: 2 }))).toMatchObject({ state: 'failing', count: 2 });
    expect(progress(aStatus({ drifted: 3 }))).toMatchObject({ state: 'drifted', count: 3 });
    expect(progress(aStatus({}), aDevice({ blocked: true }))?.state).toBe('blocked');
    const held = placed([aShare({ held: true })], [aDevice()], [aFolder()], aStatus({}));
    expect(held[0]?.progress.state).toBe('held');
    const error = { folderId: 10, code: 'not_writable', inputs: {} };
    const broken = progress(aStatus({ bytes: 5 }), aDevice({ errors: [error] }));
    expect(broken).toMatchObject({ state: 'error', share: undefined });
  });
});

it('sorts devices by urgency', () => {
  const error = { folderId: 10, code: 'not_writable', inputs: {} };
  const devices = [
    aDevice({ id: 1, name: 'Away', online: false }),
    aDevice({ id: 2, name: 'Blocked', blocked: true }),
    aDevice({ id: 3, name: 'Broken', errors: [error] }),
    aDevice({ id: 4, name: 'Good' }),
  ];
  expect(pressing(devices, byDevice([])).map(({ name }) => name)).toEqual([
    'Broken',
    'Good',
    'Away',
    'Blocked',
  ]);
});

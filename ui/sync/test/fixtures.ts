import type {
  Device,
  Folder,
  FolderStatus,
  LiveStatus,
  Overview,
  Share,
} from '../src/data/types.ts';

const device: Device = {
  id: 1,
  name: 'Laptop',
  kind: 'laptop',
  os: 'linux',
  fingerprint: '',
  engineId: '',
  agentVersion: '',
  engineVersion: '',
  approved: true,
  blocked: false,
  createdAt: 0,
  lastSeen: 0,
  appliedRev: 1,
  online: true,
  errors: [],
  traffic: { paused: false, uploadKib: 0, downloadKib: 0, schedule: [] },
  pace: { paused: false, uploadKib: 0, downloadKib: 0 },
  hub: '',
  trust: 'code',
  refusal: '',
  clockOffset: 0,
  pathTemplate: '',
  agentless: false,
};

const folder: Folder = {
  id: 10,
  label: 'Photos',
  engineFolderId: 'photos',
  ignorePatterns: [],
  versioning: { type: 'staggered', maxAgeDays: 365, onDevices: false },
  encryptedOnHub: false,
  createdAt: 0,
  conflicts: 0,
};

export const aDevice = (values: Partial<Device> = {}): Device => ({ ...device, ...values });
export const aFolder = (values: Partial<Folder> = {}): Folder => ({ ...folder, ...values });
export const aShare = (values: Partial<Share> = {}): Share => ({
  folderId: 10,
  deviceId: 1,
  mode: 'both',
  path: '/home/robin/Photos',
  held: false,
  paused: false,
  repair: 0,
  ...values,
});

export const anOverview = (values: Partial<Overview> = {}): Overview => ({
  revision: 1,
  hub: {
    engineId: '',
    engineVersion: '',
    address: '',
    state: 'running',
    error: null,
    appliedRevision: 1,
  },
  devices: [aDevice()],
  folders: [aFolder()],
  shares: [aShare()],
  waiting: [],
  problems: [],
  pendingDevices: [],
  pathTemplate: '~/Sync/{folder}',
  ...values,
});

export const aStatus = (own: Partial<FolderStatus>, online = true): LiveStatus => ({
  devices: { 1: { online, folders: { 10: { state: 'idle', ...own } as FolderStatus } } },
  hub: { folders: {} },
});

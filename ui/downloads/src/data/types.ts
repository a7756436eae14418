import type { components } from '../api.d.ts';

type Schemas = components['schemas'];

export type Download = Schemas['Download'];
export type Package = Schemas['Package'];
export type Stats = Schemas['Stats'];
export type Options = Schemas['Options'];
export type ShownOptions = Schemas['ShownOptions'];
export type Window = Schemas['Window'];
export type Status = Download['status'];
export type View = 'queue' | 'collector';

export interface Changed {
  topic: 'downloads' | 'accounts' | 'plugins' | 'settings' | 'files' | 'captchas';
}

export interface ProgressItem {
  id: number;
  bytesDone: number;
  size: number | null;
  /** Bytes per second. */
  speed: number;
  phase: 'hashWait' | 'hashing' | 'moving' | null;
}

export interface ProgressEvent {
  items: ProgressItem[];
  totalSpeed: number;
}

import type { components } from '../api.d.ts';

type Schemas = components['schemas'];

export type Overview = Schemas['Overview'];
export type Device = Schemas['ShownDevice'];
export type DeviceKind = Device['kind'];
export type Folder = Schemas['ShownFolder'];
export type Share = Schemas['Share'];
export type Hub = Schemas['ShownHub'];
export type PendingDevice = Schemas['PendingDevice'];
export type Waiting = Schemas['ShownWaiting'];
export type FolderStatus = Schemas['FolderStatus'];
export type HubFolderStatus = Schemas['HubFolderStatus'];
export type TunnelStatus = Schemas['TunnelStatus'];
export type LiveStatus = Schemas['LiveStatus'];
export type Distribution = Schemas['Distribution'];
export type Enrollment = Schemas['Enrollment'];
export type ActivityEvent = Schemas['ActivityEvent'];
export type Revision = Schemas['Revision'];
export type MomentPreview = Schemas['MomentPreview'];
export type FoundPatterns = Schemas['FoundPatterns'];
export type Account = Schemas['ShownAccount'];
export type Invitation = Schemas['AccountInvitation'];
export type Role = Account['role'];
export type DeviceFolders = Schemas['DeviceFolders'];
export type DeviceDiff = Schemas['DeviceDiff'];
export type ShareChange = Schemas['ShareChange'];
export type Mode = ShareChange['mode'];

/** The first update on a socket has the complete status, later ones only changes. */
export interface Update {
  revision: number;
  online: number[];
  status: LiveStatus;
  hub: Hub;
  waiting: Waiting[];
  /** Number of conflicts by folder id, for folders with conflicts. */
  conflicts: Record<number, number>;
  problems: Overview['problems'];
  pendingDevices: PendingDevice[];
}

/** The reason why a row of a draft is invalid. */
export interface BadRow {
  folderId: number;
  deviceId: number;
  code: string;
  inputs?: Record<string, unknown>;
}
export type Conflict = Schemas['Conflict'];
export type DiffLine = Schemas['Line'];
export type ResolveAll = Schemas['ResolveAll'];
export type ShareLink = Schemas['ShareLink'];
export type FileEntry = Schemas['FileEntry'];
export type Keep = Schemas['Resolve']['keep'];
export type Traffic = Schemas['Traffic'];
export type NoticeSettings = Schemas['NoticeSettings'];
export type Portable = Schemas['Portable'];
export type Version = Schemas['Version'];
export type VersionPage = Schemas['VersionPage'];

import type { components } from '../api.d.ts';

type Schemas = components['schemas'];

export type Backup = Schemas['Backup'];
export type BrowseEntry = Schemas['BrowseEntry'];
export type Candidate = Schemas['Candidate'];
export type Dashboard = Schemas['Dashboard'];
export type Episode = Schemas['Episode'];
export type Folder = Schemas['Folder'];
export type Format = Schemas['Format'];
export type FormatPreview = Schemas['FormatPreview'];
export type HistoryEntry = Schemas['HistoryEntry'];
export type HistoryPage = Schemas['HistoryPage'];
export type HistoryImportPreview = Schemas['HistoryImportPreview'];
export type ImportedFormat = Schemas['ImportedFormat'];
export type InboxEntry = Schemas['InboxEntry'];
export type ItemPage = Schemas['ItemPage'];
export type ItemsChange = Schemas['ItemsChange'];
export type Job = Schemas['Job'];
export type JobConfig = Schemas['JobConfig'];
export type JobFormats = NonNullable<JobConfig['formats']>;
export type JobTargets = NonNullable<JobConfig['targets']>;
export type JobItem = Schemas['JobItem'];
export type NewNumbers = Schemas['NewNumbers'];
export type Notifications = Schemas['Notifications'];
export type Options = Schemas['Options'];
export type Override = Schemas['Override'];
export type ProviderInfo = Schemas['ProviderInfo'];
export type RuleSet = Schemas['RuleSet'];
export type Rule = RuleSet['rules'][number];
export type RulesPreview = Schemas['RulesPreview'];
export type Statistics = Schemas['Statistics'];
export type WatchFolder = Schemas['WatchFolder'];
export type NewWatchFolder = Schemas['NewWatchFolder'];

export type Kind = Candidate['kind'];
export type FolderKind = Folder['kind'];
export type FormatKind = Format['kind'];
export type Mode = JobConfig['mode'];
export type Action = JobConfig['action'];
export type ConflictPolicy = JobConfig['conflictPolicy'];
export type JobStatus = Job['status'];
export type ItemState = JobItem['state'];
export type ProviderName = Candidate['provider'];

/** Events from the server. */
export interface JobProgress {
  jobId: number;
  status: JobStatus;
  done: number;
  total: number;
}
export interface ItemsUpdated {
  jobId: number;
  itemIds: number[];
}

import type { components } from '../api.d.ts';

type Schemas = components['schemas'];

export type Download = Schemas['Download'];
export type Details = Schemas['DownloadDetails'];
export type Segment = Schemas['SegmentShown'];
export type Package = Schemas['Package'];
export type Options = Schemas['Options'];
export type ShownOptions = Schemas['ShownOptions'];
export type Window = Schemas['Window'];
export type Account = Schemas['AccountShown'];
export type RefusedAccount = Schemas['RefusedAccount'];
export type Plugin = Schemas['PluginShown'];
export type Question = Schemas['Captcha'];
export type FileEntry = Schemas['FileEntry'];
export type Notices = Schemas['ShownNotices'];
export type Recipient = Schemas['Target'];
export type Folder = Schemas['FolderContents'];
export type Problem = Schemas['Problem'];
/** A plugin's text in both languages. */
export type Text = Schemas['Text'];
export type Torrent = Schemas['TorrentDetails'];
export type Rule = Schemas['Rule'];
export type FileType = NonNullable<Rule['conditions']['types']>[number];
export type Feed = Schemas['Feed'];
export type Solver = Schemas['Solver'];
export type ServerLogin = Schemas['ServerLogin'];
export type HistoryPage = Schemas['HistoryPage'];
export type HistoryEntry = Schemas['HistoryEntry'];
export type PeriodSum = Schemas['PeriodSum'];
export type Status = Download['status'];
/** The section of the queue, which the server decides. */
export type Section = Download['section'];
export type View = 'queue' | 'collector';

export type Topic =
  | 'downloads'
  | 'accounts'
  | 'plugins'
  | 'settings'
  | 'files'
  | 'captchas'
  | 'history'
  | 'feeds'
  | 'solvers'
  | 'icons';

/** What has changed; without ids, everything of the topic may have changed. */
export interface Changed {
  topic: Topic;
  packages?: number[];
  downloads?: number[];
}

export interface ProgressItem {
  id: number;
  bytesDone: number;
  size: number | null;
  /** Bytes per second. */
  speed: number;
  phase: 'waiting' | 'hashWait' | 'hashing' | 'moving' | 'metadata' | 'peers' | 'checking' | null;
  /** Seconds. */
  eta: number | null;
  /** Empty for a file that is fetched in one piece. */
  segments: Segment[];
}

export interface ProgressEvent {
  items: ProgressItem[];
  totalSpeed: number;
  /** Bytes per second that torrents upload. */
  uploadSpeed: number;
  extract: Unpacking[];
}

/** An archive that is being extracted; `path` is its first volume. */
export interface Unpacking {
  path: string;
  packageId: number | null;
  percent: number;
}

import type { Span, Trends } from '../chart/trends.ts';
import { body } from './client.ts';

/** A browser that is signed in. */
export interface ShownSession {
  id: string;
  createdAt: number;
  seenAt: number;
  address: string;
  /** The User-Agent header. */
  device: string;
  current: boolean;
}

interface Problem {
  code: string;
  inputs?: Record<string, unknown>;
}

export interface Backup {
  name: string;
  bytes: number;
  createdAt: number;
  /** Null if the file was never read back. */
  verifiedAt: number | null;
  error: Problem | null;
}

export interface BackupState {
  folder: string;
  /** The time of day, HH:MM; null without scheduled backups. */
  time: string | null;
  keep: number;
  nextAt: number | null;
  running: boolean;
  overdue: boolean;
  error: Problem | null;
  /** The backup that replaces the data at the next start. */
  restore: { name: string; requestedAt: number } | null;
  restored: { name: string; at: number; previous: string | null; error: Problem | null } | null;
  backups: Backup[];
}

/** A security event. */
export interface AuditEntry {
  id: number;
  at: number;
  event: string;
  client: string;
  user: string;
  code: string;
  path: string;
}

export interface AuditPage {
  entries: AuditEntry[];
  next: number | null;
}

/** The JSON form of a browser's push subscription. */
interface NewSubscription {
  endpoint: string;
  keys: { p256dh: string; auth: string };
}

interface Untyped {
  GET(path: string, options?: object): Promise<{ data?: unknown }>;
  POST(path: string, options?: object): Promise<{ data?: unknown }>;
  DELETE(path: string, options?: object): Promise<{ data?: unknown }>;
}

/** The routes that every service has. The client of a service is typed by its own OpenAPI file. */
export class KernelApi {
  readonly #client: Untyped;

  constructor(client: object) {
    this.#client = client as Untyped;
  }

  async sessions(): Promise<ShownSession[]> {
    return (await this.#get<{ sessions: ShownSession[] }>('/api/sessions')).sessions;
  }

  async endSession(id: string): Promise<void> {
    const params = { path: { session_id: id } };
    await this.#client.DELETE('/api/sessions/{session_id}', { params });
  }

  async endOtherSessions(): Promise<void> {
    await this.#client.POST('/api/sessions/end-others');
  }

  backups(): Promise<BackupState> {
    return this.#get('/api/system/backups');
  }

  async makeBackup(): Promise<Backup> {
    return body(this.#client.POST('/api/system/backups') as Promise<{ data?: Backup }>);
  }

  async deleteBackup(name: string): Promise<void> {
    await this.#client.DELETE('/api/system/backups/{name}', { params: { path: { name } } });
  }

  async restoreBackup(name: string): Promise<void> {
    await this.#client.POST('/api/system/backups/{name}/restore', { params: { path: { name } } });
  }

  async cancelRestore(name: string): Promise<void> {
    await this.#client.DELETE('/api/system/backups/{name}/restore', { params: { path: { name } } });
  }

  audit(event: string | undefined, before?: number): Promise<AuditPage> {
    return this.#get('/api/system/audit', { params: { query: { event, before } } });
  }

  trends(names: readonly string[], span: Span, after?: number): Promise<Trends> {
    const query = { series: names.join(','), span, after };
    return this.#get('/api/trends', { params: { query } });
  }

  /** The server's push key, and the number of browsers that receive notifications. */
  push(): Promise<{ publicKey: string; subscriptions: number }> {
    return this.#get('/api/push');
  }

  async subscribe(subscription: NewSubscription): Promise<void> {
    await this.#client.POST('/api/push/subscriptions', { body: subscription });
  }

  /** Without an endpoint, all browsers are unsubscribed. */
  async unsubscribe(endpoint?: string): Promise<void> {
    await this.#client.DELETE('/api/push/subscriptions', { body: { endpoint } });
  }

  async testPush(language: string): Promise<void> {
    await this.#client.POST('/api/push/test', { body: { language } });
  }

  #get<T>(path: string, options?: object): Promise<T> {
    return body(this.#client.GET(path, options) as Promise<{ data?: T }>);
  }
}

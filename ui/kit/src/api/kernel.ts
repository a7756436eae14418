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

  #get<T>(path: string, options?: object): Promise<T> {
    return body(this.#client.GET(path, options) as Promise<{ data?: T }>);
  }
}

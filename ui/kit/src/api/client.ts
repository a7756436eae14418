import createClient, { type Client } from 'openapi-fetch';
import { base } from '../router/base.ts';
import { ApiError } from './error.ts';

export type Api<Paths extends object> = Client<Paths>;

export interface ApiOptions {
  /** Headers added to every request that changes data, such as a CSRF token. */
  changeHeaders?: () => Record<string, string>;
  /** Called when the server answers that the session has ended. */
  signedOut?: () => void;
}

/**
 * Creates a client typed by the service's OpenAPI file; it throws ApiError instead of returning
 * errors.
 */
export function createApi<Paths extends object>(options: ApiOptions = {}): Api<Paths> {
  const client = createClient<Paths>({
    baseUrl: base.slice(0, -1),
    credentials: 'same-origin',
    fetch: (request) => globalThis.fetch(request),
  });
  client.use({
    onRequest({ request }) {
      if (request.method === 'GET') return;
      for (const [name, value] of Object.entries(options.changeHeaders?.() ?? {})) {
        request.headers.set(name, value);
      }
    },
    async onResponse({ response }) {
      if (response.ok) return;
      const error = await ApiError.from(response);
      if (error.code === 'signed_out') options.signedOut?.();
      throw error;
    },
    onError: ({ error }) => (error instanceof ApiError ? error : new ApiError(0, 'offline')),
  });
  return client;
}

/** Returns the body of a successful answer; failed requests have already thrown. */
export async function body<T>(answer: Promise<{ data?: T }>): Promise<T> {
  const { data } = await answer;
  return data as T;
}

/** An error of the server or the network, as a code that has a text in every language. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly inputs: Record<string, unknown> = {},
  ) {
    super(code);
    this.name = 'ApiError';
  }

  /** Creates an error from any failed response; the body may come from a proxy. */
  static async from(response: Response): Promise<ApiError> {
    const body: unknown = await response.json().catch(() => null);
    if (isErrorBody(body)) return new ApiError(response.status, body.code, body.inputs);
    if (response.status >= 502) return new ApiError(response.status, 'offline');
    return new ApiError(response.status, 'unknown', { code: `HTTP ${response.status}` });
  }
}

type ErrorBody = { code: string; inputs?: Record<string, unknown> };

function isErrorBody(body: unknown): body is ErrorBody {
  return (
    typeof body === 'object' && body !== null && 'code' in body && typeof body.code === 'string'
  );
}

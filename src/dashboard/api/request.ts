import { sessionEnd } from './session-end.ts';

/** An entry of `errors`; `pointer` is the JSON Pointer to the wrong field. */
export interface ReportedError {
  code: string;
  message: string;
  detail: {
    pointer?: string;
    permission?: string;
    /** The authorization server that an MCP server names now. */
    issuer?: string;
    /** Those that have no other Owner. */
    organizations?: readonly { id: string; name: string }[];
  } | null;
}

/** An error answer of the service, or of a request that got none. */
export class RequestError extends Error {
  readonly status: number;
  readonly errors: readonly ReportedError[];
  readonly request_id: string | null;

  constructor(status: number, errors: readonly ReportedError[], request_id: string | null) {
    super(errors[0]?.message ?? `The service answered ${status}.`);
    this.name = 'RequestError';
    this.status = status;
    this.errors = errors;
    this.request_id = request_id;
  }

  get code(): string {
    return this.errors[0]?.code ?? 'internal_error';
  }
}

/** Status of a request that got no answer: offline, or the service is not reachable. */
export const NO_ANSWER = 0;

export interface RequestOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
  /** Whether the session may be that of another account than the page's. */
  isForAnyone?: boolean;
}

/**
 * Asks the REST API with the session's cookie and returns the body. An expired access token is
 * refreshed once; throws `RequestError` for every other error.
 */
export async function request<Body>(path: string, options: RequestOptions = {}): Promise<Body> {
  const response = await send(path, options);
  // Once the page has lost its session, only the dialog that asks for one refreshes it.
  const isOver = sessionEnd.current() && options.isForAnyone !== true;
  if (response.status !== 401 || !SESSION_PATH.test(path) || isOver) return read<Body>(response);
  if (!(await refreshSession())) {
    sessionEnd.ended();
    return read<Body>(response);
  }
  try {
    return await read<Body>(await send(path, options));
  } catch (error) {
    // The session that was refreshed is that of another account.
    if (error instanceof RequestError && error.code === 'authentication_required')
      sessionEnd.ended();
    throw error;
  }
}

/** Paths whose 401 may only mean that the access token has expired. */
const SESSION_PATH = /^\/api\/(?!auth\/(?:login|passkey|refresh|register))/;

let account: string | null = null;

/**
 * Sets the account that the page was opened for; the service refuses requests of the session of
 * another one, which may have signed in meanwhile in another tab.
 */
export const actFor = (account_id: string | null) => void (account = account_id);

async function send(path: string, options: RequestOptions) {
  const { method, body, headers, signal, isForAnyone = false } = options;
  // Pages check ids (`isId`), so that none such as `..` gets here and changes the path.
  if (new URL(path, location.origin).pathname !== path.split('?')[0])
    throw new Error(`${path} is not a path of the API`);
  try {
    return await fetch(path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        accept: 'application/json',
        ...(account === null || isForAnyone ? {} : { 'x-account-id': account }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
      cache: 'no-store',
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new RequestError(NO_ANSWER, [], null);
  }
}

async function read<Body>(response: Response): Promise<Body> {
  const text = await response.text();
  const body: unknown = text === '' ? undefined : parse(text);
  if (response.ok) return body as Body;
  throw new RequestError(response.status, errorsOf(body), response.headers.get('x-request-id'));
}

/** A proxy in front of the service may answer with a page. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const errorsOf = (body: unknown): readonly ReportedError[] =>
  typeof body === 'object' && body !== null && 'errors' in body && Array.isArray(body.errors)
    ? (body.errors as ReportedError[])
    : [];

let refreshing: Promise<boolean> | null = null;

/**
 * Refreshes the session once for all requests that wait for it; false if it has ended. Throws if the
 * service could not say so.
 */
function refreshSession(): Promise<boolean> {
  refreshing ??= send('/api/auth/refresh', { method: 'POST' })
    .then(async (response) => {
      if (response.status !== 401) await read(response);
      return response.ok;
    })
    .finally(() => void (refreshing = null));
  return refreshing;
}

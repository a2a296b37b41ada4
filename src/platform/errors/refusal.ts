import type { ErrorCode } from './error-codes.ts';

/** Kinds of refusal; each maps to one HTTP status and one form in MCP. */
export type RefusalKind =
  | 'malformed'
  | 'unauthenticated'
  | 'forbidden'
  | 'absent'
  | 'conflict'
  | 'stale'
  | 'timed_out'
  | 'too_large'
  | 'unsupported_type'
  | 'misdirected'
  | 'unprocessable'
  | 'limited'
  | 'unavailable';

/** HTTP status of each kind, for REST and for `/mcp` before a message is processed. */
export const httpStatus: Readonly<Record<RefusalKind, number>> = {
  malformed: 400,
  unauthenticated: 401,
  forbidden: 403,
  absent: 404,
  timed_out: 408,
  conflict: 409,
  stale: 412,
  too_large: 413,
  unsupported_type: 415,
  misdirected: 421,
  unprocessable: 422,
  limited: 429,
  unavailable: 503,
};

/** One problem as shown to the caller; `detail` locates it, or is null. */
export interface Problem {
  code: ErrorCode;
  message: string;
  detail: unknown;
}

export interface RefusalOptions {
  detail?: unknown;
  /** For the log and the explorer only; never sent to clients. */
  reason?: string;
  /** All problems if several were found; the first is the refusal's own. */
  problems?: Problem[];
  /** By default 1 for `unavailable`, none for others. */
  retryAfterSeconds?: number;
  /** The change may have been saved: there is no default for `retryAfterSeconds` (see `overdue`). */
  maySave?: boolean;
  /** The OAuth scope that the access token lacks; REST names it in `WWW-Authenticate`. */
  scope?: string;
  cause?: unknown;
}

/**
 * An expected error, thrown where the rule is checked and mapped once per protocol
 * (`gateway/http/errors.ts`, `mcp/protocol/errors.ts`). Anything else that is thrown is a defect.
 */
export class Refusal extends Error {
  readonly kind: RefusalKind;
  readonly code: ErrorCode;
  readonly detail: unknown;
  readonly reason: string | undefined;
  readonly problems: Problem[];
  readonly retryAfterSeconds: number | undefined;
  readonly scope: string | undefined;

  constructor(kind: RefusalKind, code: ErrorCode, message: string, options: RefusalOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Refusal';
    this.kind = kind;
    this.code = code;
    this.detail = options.detail ?? null;
    this.reason = options.reason;
    const isRepeatable = kind === 'unavailable' && options.maySave !== true;
    this.retryAfterSeconds = options.retryAfterSeconds ?? (isRepeatable ? 1 : undefined);
    this.scope = options.scope;
    this.problems = options.problems ?? [{ code, message, detail: this.detail }];
  }
}

type RefusalArguments = [code: ErrorCode, message: string, options?: RefusalOptions];

export const malformed = (...rest: RefusalArguments) => new Refusal('malformed', ...rest);
export const unauthenticated = (...rest: RefusalArguments) =>
  new Refusal('unauthenticated', ...rest);
export const forbidden = (...rest: RefusalArguments) => new Refusal('forbidden', ...rest);
export const conflict = (...rest: RefusalArguments) => new Refusal('conflict', ...rest);
export const unprocessable = (...rest: RefusalArguments) => new Refusal('unprocessable', ...rest);
export const limited = (...rest: RefusalArguments) => new Refusal('limited', ...rest);

/** Creates a 400 that lists every problem found. */
export const malformedFields = (problems: Problem[]) => refusalOf('malformed', problems);

function refusalOf(kind: RefusalKind, problems: Problem[]): Refusal {
  const { code, message, detail } = problems[0]!;
  return new Refusal(kind, code, message, { detail, problems });
}

/** Maximum number of problems in an error, so that it cannot be larger than its request. */
export const MAX_PROBLEMS = 20;

/** Throws one 422 that lists up to `max` problems; returns if there are none. */
export function throwIfProblems(problems: Problem[], max = MAX_PROBLEMS): void {
  if (problems.length > 0) throw refusalOf('unprocessable', problems.slice(0, max));
}

/** Nonexistent items and other people's items look identical to callers, byte for byte. */
export const absent = (reason?: string) =>
  new Refusal('absent', 'not_found', 'Not found.', reason === undefined ? {} : { reason });

/** Malformed, expired, revoked and unknown credentials get the same error. */
export const invalidCredential = (reason?: string) =>
  new Refusal(
    'unauthenticated',
    'invalid_credential',
    'The credential is not valid. It may be incomplete, expired or revoked: use another one.',
    reason === undefined ? {} : { reason },
  );

/**
 * A dependency is unavailable; nothing was saved and the request may be retried. `message` is shown
 * to the caller, `reason` only logged.
 */
export const unavailable = (
  reason: string,
  cause?: unknown,
  message = 'Temporarily unavailable.',
) =>
  new Refusal('unavailable', 'service_unavailable', `${message} Try again shortly.`, {
    reason,
    cause,
  });

/**
 * The request timed out: its work continues, or was committed without an answer. Without
 * `retryAfterSeconds`, since clients that obey it would repeat a change that was saved.
 */
export const overdue = (reason = 'request timed out', cause?: unknown) =>
  new Refusal(
    'unavailable',
    'service_unavailable',
    'The request timed out. Its changes may have been saved anyway: check before you try again.',
    { reason, cause, maySave: true },
  );

export const isRefusal = (error: unknown): error is Refusal => error instanceof Refusal;

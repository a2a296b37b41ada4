import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import { z } from 'zod';
import { OutboundError } from '../../platform/outbound/outbound-error.ts';
import type { RefusedReason } from './schema.ts';

/** Ends a third-party sign-in and its transaction; the refused page explains the reason. */
export class SignInRefused extends Error {
  readonly reason: RefusedReason;
  /** The account the sign-in was for, if known. */
  readonly account_id: string | null;
  /** Tells administrators more than the person; null if there is no more to tell. */
  readonly detail: string | null;
  /** Where the person can start again; null if unknown. */
  return_path: string | null = null;

  constructor(
    reason: RefusedReason,
    account_id: string | null = null,
    detail: string | null = null,
  ) {
    super(`third-party sign-in refused: ${reason}`);
    this.reason = reason;
    this.account_id = account_id;
    this.detail = detail;
  }
}

/** Runs the rest of a sign-in; if it is refused, the person can return to `return_path`. */
export async function returningTo<Result>(
  return_path: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SignInRefused) error.return_path = return_path;
    throw error;
  }
}

/** The provider's response is unusable. */
export class ProviderUnavailable extends Error {}

// Codes of responses that are not OAuth (error pages, HTML, truncated documents), of discovery
// documents without the endpoints, or with ones that are not requested, and of timeouts.
const INVALID_RESPONSES = new Set([
  'OAUTH_INVALID_SERVER_METADATA',
  'OAUTH_MISSING_SERVER_METADATA',
  'OAUTH_REQUEST_PROTOCOL_FORBIDDEN',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'OAUTH_TIMEOUT',
]);

/** Classifies an error of a third-party sign-in; null means a bug in this code. */
export function reasonOf(error: unknown): RefusedReason | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const isUnavailable = cause instanceof OutboundError || cause instanceof ProviderUnavailable;
    const isInvalid = cause instanceof SyntaxError || cause instanceof z.ZodError;
    if (
      isUnavailable ||
      isInvalid ||
      INVALID_RESPONSES.has(String((cause as { code?: unknown }).code))
    )
      return 'provider_unavailable';
  }
  return REFUSALS.some((kind) => error instanceof kind) ? 'failed' : null;
}

const REFUSALS = [
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
];

/** Returns the library's error code. Message and cause are not logged: they may contain tokens. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : error.name;
}

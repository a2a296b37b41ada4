import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import { z } from 'zod';
import { OutboundError } from '../../platform/outbound/outbound-error.ts';
import type { RefusedReason } from './schema.ts';

/** Ends a third-party sign-in and its transaction; the refused page explains its reason. */
export class SignInRefused extends Error {
  readonly reason: RefusedReason;
  /** The account the sign-in was for, if known. */
  readonly account_id: string | null;

  constructor(reason: RefusedReason, account_id: string | null = null) {
    super(`third-party sign-in refused: ${reason}`);
    this.reason = reason;
    this.account_id = account_id;
  }
}

/** The provider's response is unusable. */
export class ProviderUnavailable extends Error {}

// Codes of responses that are not OAuth (error pages, HTML, truncated documents) and of timeouts.
const GARBAGE = new Set([
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'OAUTH_TIMEOUT',
]);

/** Classifies an error of a third-party sign-in; null means a bug in this code. */
export function reasonOf(error: unknown): RefusedReason | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    const isUnavailable = at instanceof OutboundError || at instanceof ProviderUnavailable;
    const isGarbage = at instanceof SyntaxError || at instanceof z.ZodError;
    if (isUnavailable || isGarbage || GARBAGE.has(String((at as { code?: unknown }).code)))
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

import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import { z } from 'zod';
import { OutboundError } from '../../platform/outbound/outbound-error.ts';
import type { RefusedReason } from './schema.ts';

/** Ends a third-party sign-in, and its transaction, with a reason the refused page knows. */
export class SignInRefused extends Error {
  readonly reason: RefusedReason;
  /** Whom it would have been, if that is known. */
  readonly account_id: string | null;

  constructor(reason: RefusedReason, account_id: string | null = null) {
    super(`third-party sign-in refused: ${reason}`);
    this.reason = reason;
    this.account_id = account_id;
  }
}

/** The provider answered with something that is not an answer. */
export class ProviderAway extends Error {}

// What the provider sent was no OAuth at all: an error page, HTML, half a document.
const GARBAGE = new Set([
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'OAUTH_TIMEOUT',
]);

/** Why a provider could not say who it is; null: a defect of ours. */
export function reasonOf(error: unknown): RefusedReason | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    const isAway = at instanceof OutboundError || at instanceof ProviderAway;
    const isGarbage = at instanceof SyntaxError || at instanceof z.ZodError;
    if (isAway || isGarbage || GARBAGE.has(String((at as { code?: unknown }).code)))
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

/** A fault in the library's words; its message and cause may hold tokens and claims. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : error.name;
}

import { OutboundError } from '../../../platform/outbound/outbound-error.ts';
import { isRefusal, unprocessable } from '../../../platform/errors/refusal.ts';
import type { Refusal } from '../../../platform/errors/refusal.ts';

const FAILED = 'upstream_authorization_failed';

/** Creates the 422 for a server with which an authorization is not possible. */
export const authorizationFailed = (message: string, detail: object | null = null): Refusal =>
  unprocessable(FAILED, message, { detail });

/** Fields of the errors of openid-client; messages and causes are not shown: they may have tokens. */
interface LibraryError extends Error {
  code?: unknown;
  error?: unknown;
  status?: unknown;
}

/** Returns the OAuth error code with which a server responded; null for every other error. */
export function oauthErrorOf(error: unknown): string | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { error: code } = cause as LibraryError;
    if (typeof code === 'string' && /^[\w.-]{1,100}$/.test(code)) return code;
  }
  return null;
}

/**
 * Converts an error of a request to an authorization server, or of its response, into one that says
 * what to do. Returns null for a defect in this code.
 */
export function asAuthorizationFailure(error: unknown): Refusal | null {
  if (isRefusal(error) && error.code === FAILED) return error;
  const oauth_error = oauthErrorOf(error);
  if (oauth_error !== null)
    return authorizationFailed(`The authorization server refused: ${oauth_error}.`, {
      oauth_error,
    });
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof OutboundError)
      return authorizationFailed(
        `The server or its authorization server could not be called. ${cause.message}`,
        { reason: cause.code },
      );
    const { code } = cause as LibraryError;
    if (code === 'OAUTH_TIMEOUT' || cause.name === 'TimeoutError')
      return authorizationFailed('The authorization server did not respond in time.');
    if (typeof code === 'string' && code.startsWith('OAUTH_'))
      return authorizationFailed('The authorization server sent an invalid response.', {
        reason: code.toLowerCase(),
      });
  }
  return null;
}

/** Runs requests to an authorization server; throws 422 if they fail. */
export async function orAuthorizationFailed<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asAuthorizationFailure(error) ?? error;
  }
}

import type { FastifyError } from 'fastify';
import type { ErrorCode } from '../../platform/errors/error-codes.ts';
import { sqlState, violatedConstraint } from '../../platform/postgres/database.ts';
import { asRefusal } from '../../platform/errors/outage.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import { httpStatus, invalidCredential, Refusal } from '../../platform/errors/refusal.ts';

export interface ErrorResponse {
  status: number;
  body: { errors: Problem[] };
  headers: Record<string, string>;
  /** Whether the error is a defect: it is logged with its stack and hidden from the client. */
  defect: boolean;
}

/** Converts a thrown error to a REST response. This is the only place that does so. */
export function toErrorResponse(error: unknown): ErrorResponse {
  const refusal = asRefusal(error) ?? orphanRefusal(error) ?? frameworkRefusal(error);
  if (!refusal)
    return {
      status: 500,
      body: envelope('internal_error', 'Internal error. Try again later.'),
      headers: {},
      defect: true,
    };
  const headers: Record<string, string> = {};
  if (refusal.retryAfterSeconds !== undefined)
    headers['retry-after'] = String(Math.max(1, Math.ceil(refusal.retryAfterSeconds)));
  if (refusal.kind === 'unauthenticated') headers['www-authenticate'] = 'Bearer';
  if (refusal.scope !== undefined)
    headers['www-authenticate'] = `Bearer error="insufficient_scope", scope="${refusal.scope}"`;
  return {
    status: httpStatus[refusal.kind],
    body: { errors: refusal.problems },
    headers,
    defect: false,
  };
}

export const envelope = (
  code: ErrorCode,
  message: string,
  detail: unknown = null,
): { errors: Problem[] } => ({
  errors: [{ code, message, detail }],
});

const FOREIGN_KEY_VIOLATION = '23503';
const ORPHAN = /_(?:account|session|space)_id_fkey$/;

/** Returns a 401 if the caller's account was deleted during the request. */
function orphanRefusal(error: unknown): Refusal | null {
  const isOrphan =
    sqlState(error) === FOREIGN_KEY_VIOLATION && ORPHAN.test(violatedConstraint(error) ?? '');
  return isOrphan ? invalidCredential('the account was deleted concurrently') : null;
}

/**
 * Returns the refusal of a request that Fastify could not read; its message would reveal too much.
 * Other libraries have errors with a status as well: those are defects.
 */
function frameworkRefusal(error: unknown): Refusal | null {
  const { code, statusCode } = Object(error) as Partial<FastifyError>;
  if (code?.startsWith('FST_') !== true || statusCode === undefined || statusCode >= 500)
    return null;
  if (statusCode === 415)
    return new Refusal(
      'unsupported_type',
      'unsupported_media_type',
      'Send the body as application/json, without Content-Encoding.',
    );
  return new Refusal('malformed', 'bad_request', 'The request could not be read.');
}

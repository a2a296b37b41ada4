import type { ErrorCode } from '../platform/errors/error-codes.ts';

type ErrorStatus =
  | 400
  | 401
  | 403
  | 404
  | 408
  | 409
  | 412
  | 413
  | 415
  | 421
  | 422
  | 429
  | 500
  | 503;

/**
 * Error codes of a route, by status. `gateway/rest/declared-errors.ts` adds those that the route's
 * access, body and parameters imply.
 */
export type RouteErrors = Readonly<Partial<Record<ErrorStatus, readonly ErrorCode[]>>>;

/** Errors of a route that a sign-in at an organization's identity provider does not allow. */
export const ownSignInErrors = {
  403: ['own_sign_in_required'],
} as const satisfies RouteErrors;

/** Errors of a route that is closed to accounts that an organization manages. */
export const managedErrors = {
  403: ['managed_by_organization'],
} as const satisfies RouteErrors;

import { isInOrganization, isInteractive, isOnObject, refusesKeys } from '../../caller/access.ts';
import type { Access } from '../../caller/access.ts';
import { ownSignInErrors } from '../../caller/route-errors.ts';
import type { RouteErrors } from '../../caller/route-errors.ts';
import { isCreating } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import type { ErrorCode } from '../../platform/errors/error-codes.ts';
import { isPageQuery } from '../../platform/http/pages.ts';
import { refusesUnknownParameters } from './query.ts';

const EVERY_ROUTE: RouteErrors = {
  400: ['bad_request'],
  421: ['host_not_allowed'],
  500: ['internal_error'],
  503: ['service_unavailable'],
};
const BODY: RouteErrors = {
  400: ['incomplete_body', 'invalid_body', 'invalid_json'],
  408: ['request_timeout'],
  413: ['body_too_large'],
  415: ['unsupported_media_type'],
};
const CREDENTIAL: RouteErrors = {
  401: ['ambiguous_credentials', 'authentication_required', 'invalid_credential'],
};
/** For sign-in, which starts a session, and refresh, whose cookie is a credential. */
const BROWSER_ONLY: RouteErrors = { 401: ['ambiguous_credentials', 'invalid_credential'] };
const COOKIE: RouteErrors = { 403: ['cross_site_request'] };
const ABSENT: RouteErrors = { 404: ['not_found'] };
const DENIED: RouteErrors = { 403: ['permission_denied'] };
const REAUTHENTICATION: RouteErrors = {
  403: ['reauthentication_required'],
  429: ['rate_limited'],
};
const IDEMPOTENCY: RouteErrors = {
  400: ['invalid_idempotency_key'],
  409: ['idempotency_running'],
  422: ['idempotency_mismatch'],
  429: ['rate_limited'],
};
/** Few jobs, files and streams of events run at a time. */
const TOO_MANY: RouteErrors = { 429: ['rate_limited'] };
const TOO_LITTLE_SCOPE: RouteErrors = { 403: ['insufficient_scope'] };

/** Returns the error codes that a route's responses may carry, by status, each list sorted. */
export function errorsOf(route: Omit<Route, 'handle'>): Map<number, ErrorCode[]> {
  const isUnsafe = route.method !== 'GET';
  const implied: RouteErrors[] = [
    EVERY_ROUTE,
    // Without a schema, only an empty object is accepted.
    ...(route.body || isUnsafe ? [BODY] : []),
    ...(route.query || refusesUnknownParameters(route)
      ? [{ 400: ['invalid_query'] } as const]
      : []),
    ...(route.table?.max_rows === undefined ? [] : [{ 422: ['too_large'] } as const]),
    ...(route.table || route.long_reply || route.job ? [TOO_MANY] : []),
    ...(isPageQuery(route.query) ? [{ 400: ['invalid_cursor'] } as const] : []),
    ...(route.params || route.object ? [ABSENT] : []),
    ...(route.browser_only ? [BROWSER_ONLY] : []),
    ...(isUnsafe && (route.browser_only || route.access !== 'public') ? [COOKIE] : []),
    ...(route.reauthentication ? [REAUTHENTICATION] : []),
    ...(isCreating(route) ? [IDEMPOTENCY] : []),
    ...(route.reauthentication && isInOrganization(route.access) ? [ownSignInErrors] : []),
    ...errorsOfAccess(route.access),
  ];
  const errors = new Map<number, Set<ErrorCode>>();
  for (const group of [...implied, ...[route.errors ?? []].flat()])
    for (const [status, codes] of Object.entries(group))
      errors.set(Number(status), (errors.get(Number(status)) ?? new Set()).union(new Set(codes)));
  return new Map(
    [...errors]
      .toSorted(([a], [b]) => a - b)
      .map(([status, codes]) => [status, [...codes].toSorted()]),
  );
}

function errorsOfAccess(access: Access): RouteErrors[] {
  if (access === 'public') return [];
  if (access === 'caller') return [CREDENTIAL];
  const isOrganizationRoute =
    isInOrganization(access) || (isOnObject(access) && access.on !== 'account');
  const needsPermission = isInteractive(access)
    ? access.interactive !== 'ownership'
    : access.permission !== 'see';
  const refusesSuspended = isOrganizationRoute && access.suspended !== 'allowed';
  return [
    CREDENTIAL,
    ...(refusesKeys(access) ? [{ 403: ['interactive_only'] } as const] : []),
    ...(isOrganizationRoute ? [ABSENT] : []),
    ...(needsPermission ? [DENIED] : []),
    ...(needsPermission && !isInteractive(access) ? [TOO_LITTLE_SCOPE] : []),
    ...(refusesSuspended ? [{ 403: ['organization_suspended'] } as const] : []),
  ];
}

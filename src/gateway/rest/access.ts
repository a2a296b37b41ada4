import { decideOnObject, wasAsked } from '../../authz/authz.ts';
import type { CheckObject } from '../../authz/authz.ts';
import { isPermission, ownerSessionName } from '../../authz/permissions.ts';
import {
  Access,
  isInOrganization,
  isInteractive,
  isOnObject,
  refusesKeys,
} from '../../caller/access.ts';
import type { ObjectAccess, ObjectParams } from '../../caller/access.ts';
import { isKey, isSession } from '../../caller/principal.ts';
import type { Principal } from '../../caller/principal.ts';
import { insufficientScope, permissionDenied, requireNotSuspended } from '../../caller/refusals.ts';
import { asRefusal } from '../../platform/errors/outage.ts';
import { absent, invalidCredential, unavailable } from '../../platform/errors/refusal.ts';
import { interactiveOnly, keyRefused } from '../senders/credentials.ts';

export type Check = CheckObject;

/** The name of a permission in grants, as a 403 shows it: `can_view_resources`. */
export type GrantName = (on: ObjectAccess['on'], relation: string) => string | null;

/** Internal reason of an error: the principal has no permission at all on the object. */
export const NO_ACCESS = 'no access to the object';

/** Returns the name of a permission, as a 403 shows it. */
export function permissionName(
  grantName: GrantName,
  on: ObjectAccess['on'],
  permission: string,
): string {
  if (permission === 'see') return 'can_see';
  return grantName(on, permission) ?? ownerSessionName(permission) ?? permission;
}

/** A request to a route, with the data needed to check access. */
export interface AccessRequest {
  principal: Principal;
  access: Access;
  params: ObjectParams;
  /**
   * Throws 404 if the path does not name an object of the principal. Called before a 403, and for
   * every route on a team, to check that the team belongs to the organization in the path. On other
   * routes, the handler itself responds with 404 if the permission is granted.
   */
  requireObject(): Promise<unknown>;
  /** Called if OpenFGA was called, because the answer was not cached. */
  onAsked(): void;
}

/**
 * Checks in OpenFGA the access that a route declares. Errors are thrown in this order (decisions
 * 2): 401 or 404 if the principal may not see the object (401 only for its own account), 404 if the
 * object does not exist, 403 if the permission is missing.
 */
export function createRequireAccess(dependencies: { check: Check; grantName: GrantName }) {
  const checkFor =
    (request: AccessRequest): Check =>
    async (...sent) => {
      const answers = await dependencies.check(...sent).catch((error: unknown) => {
        // An unexpected error must not determine the status of the response.
        throw (
          asRefusal(error) ?? unavailable('the permissions of the principal are unknown', error)
        );
      });
      if (wasAsked(answers)) request.onAsked();
      return answers;
    };
  const { grantName } = dependencies;

  async function requireOnObject(request: AccessRequest, access: ObjectAccess): Promise<void> {
    const { on, permission } = access;
    const { isSeen, isAllowed, scope } = await decideOnObject(checkFor(request), request, access);
    if (!isSeen) throw on === 'account' ? invalidCredential() : absent(NO_ACCESS);
    if (on !== 'account' && access.suspended !== 'allowed') requireNotSuspended(request.principal);
    if (on === 'team') await request.requireObject();
    if (!isAllowed) await refuse(request, permissionName(grantName, on, permission), scope);
  }

  return async function requireAccess(request: AccessRequest): Promise<void> {
    const { access, principal } = request;
    if (isInteractive(access) && !isSession(principal)) throw interactiveOnly();
    if (refusesKeys(access) && isKey(principal)) throw keyRefused(access);
    if (isOnObject(access)) return requireOnObject(request, access);
    if (isInOrganization(access))
      return requireOnObject(request, { on: access.interactive, ...access });
    if (!isInteractive(access) || access.interactive === 'ownership') return;
    const relation = `can_${access.interactive}`;
    const answers = await checkFor(request)(principal, [relation], principal.context);
    if (answers.get(relation) !== true) await refuse(request, relation);
  };
}

async function refuse(
  { requireObject }: AccessRequest,
  permission: string,
  scope: string | null = null,
): Promise<never> {
  await requireObject();
  throw scope === null ? permissionDenied(permission) : insufficientScope(scope, permission);
}

/**
 * Throws at start for a route that declares no access, that requires an unknown permission, or that
 * has no `object`, which must throw 404 before a 403.
 */
export function requireDeclaredAccess(route: {
  path: string;
  access: Access;
  object?: unknown;
}): void {
  const { path, access } = route;
  if (!Access.safeParse(access).success)
    throw new Error(`${path} declares no access: state who may call it`);
  const named = namedPermission(access);
  if (named !== null && !isKnownPermission(access, named))
    throw new Error(
      `${path} requires a permission that ${named.on} does not have: ${named.permission}`,
    );
  const isChecked = typeof access === 'object' && !isOwnership(access);
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const needsObject = names.some((name) => !['organization_id', 'team_id'].includes(name));
  const needsTeam = isChecked && named?.on === 'team';
  if (isChecked && (needsObject || needsTeam) && route.object === undefined)
    throw new Error(`${path} declares no object: it needs one to answer 404 before 403`);
}

function namedPermission(access: Access): Pick<ObjectAccess, 'on' | 'permission'> | null {
  if (isOnObject(access)) return access;
  if (!isInOrganization(access)) return null;
  return { on: access.interactive, permission: access.permission };
}

/** Returns whether the table has the permission; the Owner's are for sessions only (G3). */
const isKnownPermission = (
  access: Access,
  { on, permission }: Pick<ObjectAccess, 'on' | 'permission'>,
) =>
  permission === 'see' ||
  isPermission(on, permission) ||
  (isInOrganization(access) && ownerSessionName(permission) !== null);

const isOwnership = (access: Access) => isInteractive(access) && access.interactive === 'ownership';

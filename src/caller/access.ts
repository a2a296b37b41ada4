import { z } from 'zod';
import type { Principal } from './principal.ts';
import type { ContextObject } from './scope.ts';

/**
 * Access of a session to its own account. `ownership` is decided by rows alone; it is for listing
 * and removing one's own credentials, so that a person can lock out a thief while OpenFGA is
 * unavailable (docs/decisions/0025).
 */
const OwnAccess = z.object({
  interactive: z.enum(['manage_account', 'manage_keys', 'ownership']),
});

/** Declared by routes that stay open to members of a suspended organization. */
const suspended = z.literal('allowed').optional();

/**
 * A permission in the organization or the team that the path names, for sessions only. It is in the
 * table of permissions, or only the Owner's session has it and no credential can carry it (G3).
 */
const MemberAccess = z.object({
  interactive: z.enum(['organization', 'team']),
  permission: z.string(),
  suspended,
});
export type MemberAccess = z.infer<typeof MemberAccess>;

const InteractiveAccess = z.union([OwnAccess, MemberAccess]);
export type InteractiveAccess = z.infer<typeof InteractiveAccess>;

/**
 * A permission on an OpenFGA object; the path names the organization or team. `permission` is the
 * suffix of a relation in `authz/permissions.ts`, or `see`, which any grant on the object implies.
 */
const ObjectAccess = z.object({
  on: z.enum(['account', 'organization', 'team']),
  permission: z.string(),
  suspended,
  /** Declared by routes that refuse every API key, but accept an access token with the scope. */
  api_keys: z.literal('refused').optional(),
});
export type ObjectAccess = z.infer<typeof ObjectAccess>;

/** Access rule of a route. A route without one fails at startup (docs/architecture.md). */
export const Access = z.union([z.enum(['public', 'caller']), InteractiveAccess, ObjectAccess]);
export type Access = z.infer<typeof Access>;

export const isInteractive = (access: Access): access is InteractiveAccess =>
  typeof access === 'object' && 'interactive' in access;

export const isInOrganization = (access: Access): access is MemberAccess =>
  isInteractive(access) && (access.interactive === 'organization' || access.interactive === 'team');

export const isOnObject = (access: Access): access is ObjectAccess =>
  typeof access === 'object' && 'on' in access;

/** Whether every API key gets 403, regardless of its grants. */
export const refusesKeys = (access: Access): boolean =>
  isInteractive(access) || (isOnObject(access) && access.api_keys === 'refused');

/** Path parameters that name the object of an access rule. */
export interface ObjectParams {
  organization_id?: string;
  team_id?: string;
}

/** Returns a principal's context object in its account or an organization; null if it has none. */
export function contextIn(
  on: ObjectAccess['on'],
  { person, credential, organization }: Pick<Principal, 'person' | 'credential' | 'organization'>,
  { organization_id }: ObjectParams,
): ContextObject | null {
  if (on === 'account') return person === null ? null : `account:${person}`;
  // Without its scopes no decision about the organization is possible.
  if (organization_id === undefined || organization?.id !== organization_id) return null;
  return person === null
    ? `service:${organization_id}.${credential.id}`
    : `membership:${organization_id}.${person}`;
}

/** Returns the `team_seat` object of a principal in a team; null if the path names no team. */
export const teamSeatIn = (
  { person, credential }: Pick<Principal, 'person' | 'credential'>,
  { team_id }: ObjectParams,
) => (team_id === undefined ? null : `team_seat:${team_id}.${person ?? credential.id}`);

import { z } from 'zod';
import type { Principal } from './principal.ts';

/**
 * What a session does to its own account. `ownership`: rows alone decide, which holds for what takes
 * an own credential away and for the lists that name those, so that a person shuts out a thief
 * without OpenFGA (docs/decisions/0025).
 */
const InteractiveAccess = z.object({
  interactive: z.enum(['manage_account', 'manage_keys', 'ownership']),
});
export type InteractiveAccess = z.infer<typeof InteractiveAccess>;

/**
 * A permission on an object of OpenFGA, which for an organization and a team the path names: the
 * suffix of a relation in `authz/permissions.ts`, or `see`, which is any grant there.
 */
const ObjectAccess = z.object({
  on: z.enum(['account', 'organization', 'team']),
  permission: z.string(),
});
export type ObjectAccess = z.infer<typeof ObjectAccess>;

/** Who may call a route. A route without one cannot start (docs/architecture.md). */
export const Access = z.union([z.enum(['public', 'caller']), InteractiveAccess, ObjectAccess]);
export type Access = z.infer<typeof Access>;

export const isInteractive = (access: Access): access is InteractiveAccess =>
  typeof access === 'object' && 'interactive' in access;

export const isOnObject = (access: Access): access is ObjectAccess =>
  typeof access === 'object' && 'on' in access;

/** The path parameters that name the object of an access. */
export interface ObjectParams {
  organization_id?: string;
  team_id?: string;
}

/** Returns the context object of a principal in its account or an organization; null: it has none. */
export function contextIn(
  { on }: ObjectAccess,
  { person, credential }: Principal,
  { organization_id }: ObjectParams,
): string | null {
  if (on === 'account') return person === null ? null : `account:${person}`;
  if (organization_id === undefined) return null;
  return person === null
    ? `service:${organization_id}.${credential.id}`
    : `membership:${organization_id}.${person}`;
}

/** Returns the seat of a principal in a team; null: the path names no team. */
export const seatIn = ({ person, credential }: Principal, { team_id }: ObjectParams) =>
  team_id === undefined ? null : `team_seat:${team_id}.${person ?? credential.id}`;

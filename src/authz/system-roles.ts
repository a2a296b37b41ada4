/** Tuples written when a store is set up: everyone, and the four roles shared by all (C4). */
import { capabilities, organizationPermissions, teamPermissions } from './permissions.ts';
import type { Tuple } from './tuple.ts';

export const PLATFORM = { kind: 'platform', id: '00000000-0000-0000-0000-000000000000' } as const;
/**
 * The scope whose outbox deletes orphaned tuples; no decision depends on it, so it never blocks
 * one.
 */
export const ORPHANS = { kind: 'platform', id: '00000000-0000-0000-0000-000000000001' } as const;
export const EPOCH_OBJECT = 'platform:main';
const EVERYONE = 'everyone:live';

const capabilityFlags = capabilities.map((capability) => `mcp_${capability}`);
const organizationFlags = organizationPermissions.map(({ relation }) => relation);
const teamFlags = teamPermissions.map(({ relation }) => relation);

/** The flags of each system role, by object: 53, 52, 1 and 40. */
export const systemRoles = {
  'org_role:owner': ['owns', ...capabilityFlags, ...organizationFlags],
  'org_role:admin': [...capabilityFlags, ...organizationFlags],
  'org_role:member': ['profile_read'],
  'team_role:team_admin': teamFlags,
} as const satisfies Record<string, readonly string[]>;
export type SystemRole = keyof typeof systemRoles;

/** Returns the tuple that gives a role a flag; it names everyone, so that all holders share it. */
export function flagTuple(role: string, relation: string): Tuple {
  return { user: `${EVERYONE}#any`, relation, object: role };
}

export function everyoneTuples(): Tuple[] {
  return ['user', 'api_key', 'connection'].map((type) => ({
    user: `${type}:*`,
    relation: 'any',
    object: EVERYONE,
  }));
}

/** Returns all tuples of the platform scope. */
export const platformTuples = (): Tuple[] => [
  ...everyoneTuples(),
  ...Object.entries(systemRoles).flatMap(([role, flags]) =>
    flags.map((relation) => flagTuple(role, relation)),
  ),
];

import type { Authz, Check } from '../authz/authz.ts';
import {
  everyTeamGrant,
  personalPermissionByGrant,
  teamClosure,
  teamPermissionByGrant,
} from '../authz/permissions.ts';
import { teamSeatIn } from '../caller/access.ts';
import type { AgentPrincipal, Principal } from '../caller/principal.ts';
import type { Space } from '../content/content.ts';
import { decide } from './decide.ts';
import type { View } from './decide.ts';
import type { ToolItem } from './item.ts';

/** Permissions that management tools need, by their name in a personal space. */
type Permissions = ReadonlySet<string>;

interface Grants {
  grants?: readonly { scope: { type: string }; permissions: readonly string[] }[];
}

export const NO_PERMISSIONS: Permissions = new Set();

/** Returns whether a principal acts in an organization rather than in its person's account. */
export const isInOrganization = ({ context }: Pick<Principal, 'context'>) =>
  !context.startsWith('account:');

/** Checks in OpenFGA only the permissions that reachable tools need. */
export function createPermissions(
  authz: Pick<Authz, 'check' | 'checkEach'>,
  guardedOf: (view: Pick<View, 'places'>) => readonly ToolItem[],
  guardedBuiltIn: readonly ToolItem[],
) {
  async function filterHeld(caller: Principal, relations: readonly string[]): Promise<Permissions> {
    if (relations.length === 0) return NO_PERMISSIONS;
    const answers = await authz.check(caller, relations);
    return new Set(relations.filter((relation) => answers.get(relation) === true));
  }

  const participates = async (caller: Principal) =>
    caller.person !== null && (await filterHeld(caller, ['participant'])).size > 0;

  /** Returns the permissions that the caller holds in some space of its organization. */
  async function filterHeldInAnySpace(
    caller: Principal,
    view: View,
    relations: readonly string[],
  ): Promise<Permissions> {
    if (relations.length === 0) return NO_PERMISSIONS;
    // Writing to the member's own space needs no permission; without it, no team is active either.
    if (caller.person !== null)
      return (await participates(caller)) ? new Set(relations) : NO_PERMISSIONS;
    const object = anySeatOf(caller, view);
    if (object === null) return NO_PERMISSIONS;
    const answers = await authz.checkEach(
      caller,
      relations.map((relation) => ({ object, relation })),
    );
    return new Set(relations.filter((_, index) => answers[index]));
  }

  const heldOf = (caller: AgentPrincipal, view: View, needed: readonly string[]) =>
    isInOrganization(caller)
      ? filterHeldInAnySpace(caller, view, needed)
      : filterHeld(caller, needed);

  return {
    /** Checks only tools that pass every other rule, so that most callers cause no checks. */
    permissionsOf(caller: AgentPrincipal, view: View): Promise<Permissions> {
      const needed = permissionsNeededBy(
        guardedOf(view).filter(
          (item) => decide(view, { ...item, requires: {} }).outcome === 'allowed',
        ),
      );
      return heldOf(caller, view, needed);
    },
    /** Checks the permissions of every tool, for people who see all reasons why one is hidden. */
    async allPermissionsOf(caller: AgentPrincipal, view: View): Promise<Permissions> {
      if (!view.connected) return NO_PERMISSIONS;
      return heldOf(caller, view, permissionsNeededBy(guardedBuiltIn));
    },
    /** Returns whether the caller has a management tool's permission in at least one space. */
    hasPermission: async (caller: AgentPrincipal, view: View, permission: string) =>
      (await heldOf(caller, view, [permission])).has(permission),
    /** Returns the permissions that a person can give to a key. */
    grantableBy: (person: Principal): Promise<Permissions> =>
      filterHeld(person, permissionsNeededBy(guardedBuiltIn)),
    /**
     * Returns whether the caller may change items of a space. In a personal space, `decide` has
     * checked the permission; a member's own space needs none, and a catalog is changed only over
     * REST.
     */
    async mayWrite(caller: AgentPrincipal, space: Space, permission: string): Promise<boolean> {
      if (space.kind === 'personal') return true;
      if (space.kind === 'organization') return false;
      if (space.kind === 'member') return participates(caller);
      const object = seatOf(caller, space.team_id);
      const [isHeld] = await authz.checkEach(caller, [{ object, relation: permission }]);
      return isHeld === true;
    },
  };
}

const seatOf = (caller: Principal, team_id: string) => teamSeatIn(caller, { team_id })!;

/**
 * Returns the seat that decides what a credential without a person holds in its teams; null if it
 * is in none. One of 200 is enough: they all depend only on its service (team_seat#can_P).
 */
function anySeatOf(caller: Principal, view: Pick<View, 'places'>): string | null {
  const team = view.places.find(({ exposure }) => exposure === null);
  return team === undefined ? null : seatOf(caller, team.space_id);
}

/**
 * Returns the check that decides whether a caller has a management tool's permission in at least one
 * space; null if it can have none, since it is in no team.
 */
export function permissionCheck(
  caller: Principal,
  view: Pick<View, 'places'>,
  relation: string,
): Check | null {
  if (!isInOrganization(caller)) return { object: caller.context, relation };
  if (caller.person !== null) return { object: caller.context, relation: 'participant' };
  const object = anySeatOf(caller, view);
  return object === null ? null : { object, relation };
}

/** Returns the permissions that these management tools need. */
export const permissionsNeededBy = (tools: readonly ToolItem[]): string[] => [
  ...new Set(tools.flatMap(({ requires }) => requires.permission ?? [])),
];

/** Returns the permissions that an organization's key is granted in its teams. */
export function grantedInTeams(
  { grants = [] }: Grants,
  places: View['places'],
  needed: Permissions,
): Permissions {
  const isInTeam = places.some(({ exposure }) => exposure === null);
  const names = new Set(grants.flatMap(({ permissions }) => permissions));
  if (!isInTeam) return NO_PERMISSIONS;
  if (names.has(everyTeamGrant)) return needed;
  const granted = [...teamClosure(names)].flatMap((name) => teamPermissionByGrant(name) ?? []);
  return needed.intersection(new Set(granted.map(({ relation }) => `can_${relation}`)));
}

/** Returns the permissions in a key's personal grant, named like the relations of tools. */
export const grantedPermissions = ({ grants = [] }: Grants): Permissions =>
  new Set(
    grants
      .filter(({ scope }) => scope.type === 'personal')
      .flatMap(({ permissions }) => permissions)
      .flatMap((name) => personalPermissionByGrant(name) ?? [])
      .map(({ relation }) => `can_${relation}`),
  );

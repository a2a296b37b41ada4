import fc from 'fast-check';
import { everyTeam } from '../../support/access/permissions.ts';
import { ADMIN, MEMBER } from '../../support/people/organizations.ts';
import type { SendRequest, SignedUp } from '../../support/people/people.ts';
import { TEAM_ADMIN } from '../../support/people/teams.ts';
import {
  anyCapabilities,
  anyPolicyOf,
  anySelection,
  ITEM_FAMILIES,
} from '../../support/worlds/worlds.ts';
import type { BuiltInItems, ItemFamily, PolicyPlan } from '../../support/worlds/worlds.ts';
import type { BuiltOrganization } from './built-organization.ts';
import { policyOf } from './drafts.ts';

interface Selected {
  tools: readonly string[];
  prompts: readonly string[];
}

/** A change that has a preview; members, teams and roles are given by their indexes. */
export type PreviewedWrite =
  | { does: 'own settings'; selected: Selected }
  | { does: 'settings'; selected: Selected; wide: readonly string[] }
  | { does: 'policy'; team: number; family: ItemFamily; policy: PolicyPlan }
  | { does: 'role'; member: number; capabilities: readonly string[]; permissions: string[] }
  | { does: 'member'; member: number; roles: readonly RoleChoice[] }
  | { does: 'seat'; member: number; team: number; isAdmin: boolean };

/** A system role, or the role of the member with this index. */
type RoleChoice = typeof ADMIN | typeof MEMBER | number;

const PERMISSIONS = [
  ...['can_view_organization_members', 'can_create_organization_roles'],
  ...['can_view_organization_tools', everyTeam],
];

/** Generates changes of every kind. */
export const anyWrites = (builtIns: BuiltInItems): fc.Arbitrary<PreviewedWrite[]> => {
  const member = fc.nat({ max: 1 });
  const team = fc.nat({ max: 1 });
  const kinds: fc.Arbitrary<PreviewedWrite>[] = [
    fc.record({ does: fc.constant('own settings' as const), selected: anySelection(builtIns) }),
    fc.record({
      ...{ does: fc.constant('settings' as const), selected: anySelection(builtIns) },
      wide: fc.subarray([...builtIns.tools, ...builtIns.prompts]),
    }),
    fc.constantFrom(...ITEM_FAMILIES).chain((family) =>
      fc.record({
        ...{ does: fc.constant('policy' as const), team, family: fc.constant(family) },
        policy: anyPolicyOf(family, builtIns),
      }),
    ),
    fc.record({
      ...{ does: fc.constant('role' as const), member, capabilities: anyCapabilities },
      permissions: fc.subarray(PERMISSIONS),
    }),
    fc.record({
      ...{ does: fc.constant('member' as const), member },
      roles: fc.subarray<RoleChoice>([MEMBER, ADMIN, 0, 1], { minLength: 1 }),
    }),
    fc.record({ does: fc.constant('seat' as const), member, team, isAdmin: fc.boolean() }),
  ];
  return fc
    .tuple(fc.tuple(...kinds), fc.array(fc.oneof(...kinds), { maxLength: 3 }))
    .chain(([each, more]) => fc.shuffledSubarray([...each, ...more], { minLength: 5 }));
};

/** Returns who makes a change, and the request; its preview has the same body. */
export function requestOf(
  { base, owner, members, teams, catalog }: BuiltOrganization,
  one: PreviewedWrite,
  seated: ReadonlySet<string>,
): { who: SignedUp; request: SendRequest & { path: string } } {
  switch (one.does) {
    case 'own settings': {
      const { tools, prompts: platform_prompts } = one.selected;
      const body = { tools, platform_prompts };
      const path = '/api/me/mcp-settings';
      return { who: members[0]!.person, request: { method: 'PUT', path, body } };
    }
    case 'settings': {
      const { tools, prompts: platform_prompts } = one.selected;
      const wide = (ids: readonly string[]) => ids.filter((id) => one.wide.includes(id));
      const body = {
        ...{ tools, platform_prompts, organization_wide_tools: wide(tools) },
        organization_wide_prompts: wide(platform_prompts),
      };
      return { who: owner, request: { method: 'PUT', path: `${base}/mcp-settings`, body } };
    }
    case 'policy': {
      const path = `${base}/teams/${teams[one.team]!.id}/policies/${one.family.slice(0, -1)}`;
      const body = policyOf(catalog.items, one.family, one.policy);
      return { who: owner, request: { method: 'PUT', path, body } };
    }
    case 'role': {
      const { capabilities, permissions } = one;
      const path = `${base}/roles/${members[one.member]!.role_id}`;
      return {
        who: owner,
        request: { method: 'PATCH', path, body: { capabilities, permissions } },
      };
    }
    case 'member': {
      const path = `${base}/members/${members[one.member]!.person.account_id}`;
      const role_ids = one.roles.map((role) =>
        typeof role === 'number' ? members[role]!.role_id : role,
      );
      return { who: owner, request: { method: 'PATCH', path, body: { role_ids } } };
    }
    case 'seat':
    default: {
      const { account_id } = members[one.member]!.person;
      const path = `${base}/teams/${teams[one.team]!.id}/members`;
      const role_ids = one.isAdmin ? [TEAM_ADMIN] : [];
      return seated.has(`${path}/${account_id}`)
        ? {
            who: owner,
            request: { method: 'PATCH', path: `${path}/${account_id}`, body: { role_ids } },
          }
        : { who: owner, request: { method: 'POST', path, body: { account_id, role_ids } } };
    }
  }
}

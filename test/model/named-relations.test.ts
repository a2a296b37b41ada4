import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadModel } from '../../src/authz/engine/model.ts';
import { capabilities } from '../../src/authz/permissions.ts';
import { isInOrganization, isInteractive, isOnObject } from '../../src/caller/access.ts';
import type { Access } from '../../src/caller/access.ts';
import { declaredRoutes } from '../support/declared-routes.ts';
import { schemaOf } from './evaluator.ts';

const schema = schemaOf(await loadModel());

/** What a route names as the object of a check, by the type of the context object. */
const contexts: Readonly<Record<string, string>> = {
  account: 'account',
  membership: 'organization',
  service: 'organization',
  team_seat: 'team',
};

/** Returns the relations that a route's access checks. */
function relationsOf(access: Access): string[] {
  if (isInOrganization(access)) return [`${access.interactive}#can_${access.permission}`];
  if (isInteractive(access))
    return access.interactive === 'ownership' ? [] : [`account#can_${access.interactive}`];
  if (!isOnObject(access)) return [];
  const { on, permission } = access;
  if (on === 'team') return ['organization#can_see', `team#can_${permission}`];
  return [`${on}#can_see`, `${on}#can_${permission}`];
}

/** Relations that no route requires, with the code in `src/` that checks them. */
const inCode: [file: string, text: string, relations: string[]][] = [
  [
    'authz/decisions/context.ts',
    "'can_connect'",
    ['account#can_connect', 'organization#can_connect'],
  ],
  [
    'authz/decisions/context.ts',
    '`can_use_${capability}`',
    capabilities.flatMap((name) => [`account#can_use_${name}`, `organization#can_use_${name}`]),
  ],
  ['authz/decisions/context.ts', "relation: 'active'", ['team#active']],
  ['visibility/held-permissions.ts', "['participant']", ['organization#participant']],
  ['organizations/delegation.ts', "['can_scope_own_keys']", ['organization#can_scope_own_keys']],
  ['organizations/grants/missing.ts', 'MANAGES_EVERY_TEAM', ['organization#can_manage_every_team']],
  [
    'organizations/grants/requirements.ts',
    '`role_mcp_${name}`',
    capabilities.flatMap((name) => [`organization#role_mcp_${name}`, `team#role_mcp_${name}`]),
  ],
  // These routes are also for leaving, which needs no permission, and for one's own teams.
  ['organizations/members/removal.ts', "'members_remove'", ['organization#can_members_remove']],
  ['organizations/teams/seats/seats.ts', "'members_delete'", ['team#can_members_delete']],
  ['organizations/teams/visibility.ts', "['can_teams_read']", ['organization#can_teams_read']],
  // What a member may put into roles is checked permission by permission.
  [
    'organizations/grants/requirements.ts',
    '`can_${organization.relation}`',
    ['organization#can_all_teams_write'],
  ],
  [
    'organizations/grants/requirements.ts',
    '`can_${team.relation}`',
    ['team#can_policies_read', 'team#can_policies_write'],
  ],
];

test('every decision of the model is required by a route or checked by code', async () => {
  const decisions = new Set(
    Object.entries(contexts).flatMap(([type, context]) =>
      [...(schema.get(type)?.keys() ?? [])]
        .filter((relation) => /^(can_|role_mcp_)|^(active|participant)$/.test(relation))
        .map((relation) => `${context}#${relation}`),
    ),
  );
  const required = new Set(
    (await declaredRoutes()).flatMap(({ access }) => relationsOf(access)),
  ).intersection(decisions);
  const others = inCode.flatMap(([, , relations]) => relations);

  expect([...required, ...others].toSorted()).toEqual([...decisions].toSorted());
  for (const [file, text] of inCode) {
    const source = readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8');
    expect(source.includes(text), `${file} contains ${text}`).toBe(true);
  }
});

import { afterAll, expect, test } from 'vitest';
import { organizationPermissions, teamPermissions } from '../../../src/authz/permissions.ts';
import type { Preview } from '../../../src/keys/schema.ts';
import { ADMIN, askAs, createRole, driftOf, MEMBER } from '../../support/people/organizations.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createTeam, seatsOf, TEAM_ADMIN } from '../../support/people/teams.ts';
import { create as createItem } from '../organizations/content-items.ts';
import { scopedKeys } from './scoped-keys.ts';

const teams = await useTeams();
const created = await teams.organization();
const { owner, id: acme } = created;
const red = created.team.id;
const path = `/api/organizations/${acme}/keys`;
const keeping = [
  'can_view_organization_api_keys',
  'can_create_organization_api_keys',
  'can_update_organization_api_keys',
];
const keeper = (await createRole(owner, acme, { name: 'Keeper', permissions: keeping })).id;
afterAll(async () => {
  expect(await driftOf(teams.gateway)).toEqual([]);
});

const keys = scopedKeys(() => teams.otherGateway);
const { faults, rest } = keys;
const create = (who: SignedUp, fields: Record<string, unknown>) => keys.create(who, fields, path);
const edit = (who: SignedUp, id: string, body: object) => keys.edit(who, id, body, path);
const grantOf = (...permissions: string[]) => ({
  grants: [{ scope: { type: 'org', org_id: acme }, permissions }],
});

test('a key of the organization in no team can be granted team permissions only by those who manage every team (G2)', async () => {
  const creator = await teams.join(acme, 'may', [MEMBER, keeper]);
  await seatsOf(acme, red).add(owner, creator, [TEAM_ADMIN]);
  const draft = { ...grantOf('can_delete_team_members'), team_ids: [] as string[] };

  expect(faults(await create(creator, draft))).toEqual([
    ...[422, 'permission_not_held /grants/0/permissions/0'],
  ]);
  expect((await create(owner, draft)).status).toBe(201);
  const { body: bound } = await create(creator, { ...draft, team_ids: [red] });
  const unbound = await edit(creator, bound.id, { team_ids: [] });
  expect([unbound.status, unbound.body.teams], 'removing requires nothing').toEqual([200, []]);
});

test('a permission that the creator has in a team does not grant the one of the organization with the same relation (G2)', async () => {
  const creator = await teams.join(acme, 'same', [MEMBER, keeper]);
  await seatsOf(acme, red).add(owner, creator, [TEAM_ADMIN]);
  const ofTeam = new Map<string, string | null>(
    teamPermissions.map(({ relation, grant }) => [relation, grant]),
  );
  const pairs = organizationPermissions.flatMap(({ relation, grant }) => {
    const same = ofTeam.get(relation) ?? null;
    return grant === null || same === null ? [] : [{ above: grant, inTeam: same }];
  });
  const above = pairs.map((pair) => pair.above);
  const inTeam = pairs.map((pair) => pair.inTeam);
  const draftOf = (...names: string[]) => ({ ...grantOf(...names), team_ids: [red] });

  const refused = faults(await create(creator, draftOf(...above)));
  expect(refused.length, 'those that members do not have').toBeGreaterThan(10);
  expect(faults(await create(creator, draftOf(...above, ...inTeam)))).toEqual(refused);
  expect((await create(creator, draftOf(...inTeam))).status).toBe(201);
});

test('any later expiry of an organization’s key grants again everything that it has (G2, C5)', async () => {
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  const { body: key } = await create(owner, {
    ...grantOf('can_view_organization_members'),
    ...{ mcp_capabilities: ['tools'], team_ids: [], expires_at: soon },
  });
  const below = await teams.join(acme, 'below', [MEMBER, keeper]);
  const refusal = [422, 'permission_not_held /expires_at', 'capability_escalation /expires_at'];

  for (const expires_at of ['2100-01-01T00:00:00Z', null])
    expect(faults(await edit(below, key.id, { expires_at }))).toEqual(refusal);
  const earlier = new Date(Date.now() + 1_800_000).toISOString();
  expect((await edit(below, key.id, { expires_at: earlier })).status).toBe(200);
  expect(faults(await edit(below, key.id, { expires_at: soon }))).toEqual(refusal);
  expect((await edit(owner, key.id, { expires_at: null })).status).toBe(200);
});

test('people outside a team do not learn of its items from an organization’s key, in explanations or as its default agent', async () => {
  const team = `/api/organizations/${acme}/teams/${red}`;
  await createItem(owner, team, 'custom-tools', { name: 'deploy' });
  const { body: agent } = await createItem(owner, team, 'agents', { name: 'helper' });
  const { body: key } = await create(owner, {
    ...grantOf('can_view_organization_api_keys'),
    ...{ mcp_capabilities: ['tools', 'agents'], default_agent_id: agent.id },
  });
  const { body: blind } = await create(owner, {
    ...{ ...grantOf('can_view_organization_api_keys'), team_ids: [] },
  });
  const viewer = await teams.join(acme, 'viewer', [MEMBER, keeper]);
  const record = { path: `${path}/${key.id}` };
  const rulesOf = async (who: SignedUp, tool: string) => {
    const explained = await askAs<{ steps: { rule: string }[] }>(who, {
      path: `${path}/${key.id}/explain?tool=${tool}`,
    });
    return explained.body.steps.map(({ rule }) => rule);
  };
  const agentFor = async (who: SignedUp) =>
    (await askAs<Record<string, unknown>>(who, record)).body['default_agent'];
  const warningsFor = async (who: SignedUp) => {
    const seen = await askAs<Preview>(who, { path: `${path}/${key.id}/preview` });
    return seen.body.warnings.map(({ code }) => code);
  };
  const named = { id: agent.id, name: 'red/helper' };

  expect(await rulesOf(viewer, 'red__deploy')).toEqual(['usable', 'organization_active', 'exists']);
  expect(await agentFor(viewer)).toEqual({ available: false });
  expect(await warningsFor(viewer)).toEqual(['agent_unavailable']);
  const listed = await askAs<{ data: { default_agent: unknown }[] }>(viewer, { path });
  expect(listed.body.data.map((row) => row.default_agent)).not.toContainEqual(named);
  expect((await rest(owner, blind, record)).body['default_agent']).toEqual({ available: false });
  expect((await rest(owner, key, record)).body['default_agent']).toEqual(named);

  const chief = await teams.join(acme, 'chief', [ADMIN]);
  await seatsOf(acme, red).add(owner, viewer);
  for (const inside of [viewer, chief, owner]) {
    expect(await rulesOf(inside, 'red__deploy')).toContain('can_use_tools');
    expect(await agentFor(inside)).toEqual(named);
    expect(await warningsFor(inside)).toEqual([]);
  }
  const blue = await createTeam(owner, acme, 'blue');
  const path2 = `/api/organizations/${acme}/teams/${blue.id}`;
  await createItem(owner, path2, 'custom-tools', { name: 'deploy' });
  expect(await rulesOf(viewer, 'blue__deploy')).toEqual([
    'usable',
    'organization_active',
    'exists',
  ]);
});

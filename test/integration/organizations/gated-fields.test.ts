import { expect, test } from 'vitest';
import { createConnectionsSupport } from '../../support/people/connections.ts';
import { createRole } from '../../support/people/organizations.ts';
import { createKey } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createTeam } from '../../support/people/teams.ts';

const teams = await useTeams();
const oauth = await closeAfterTests(createConnectionsSupport(teams.world, teams.gateway));
const acme = await teams.organization();
const { id } = acme;
const reader = await teams.join(id, 'reader', [
  (
    await createRole(acme.owner, id, {
      name: 'Reader',
      permissions: ['can_view_organization_mcp_settings'],
    })
  ).id,
]);
const powerless = await teams.join(id, 'powerless', [
  (await createRole(acme.owner, id, { name: 'N' })).id,
]);
const blue = await createTeam(acme.owner, id, 'blue');

const session = async ({ bearer }: SignedUp) => ({ ...bearer });
async function keyWith(permissions: readonly string[], fields: object = {}) {
  const grants = [{ scope: { type: 'org', org_id: acme.id }, permissions }];
  return { 'x-api-key': (await createKey(acme.owner, { grants, ...fields })).secret };
}
async function tokenWith(scopes: readonly string[], team_ids: readonly string[] | null = null) {
  const owner = { organization_id: acme.id };
  const connection = await oauth.authorize(
    await oauth.client({ owner, scopes, team_ids }),
    acme.owner,
  );
  return { authorization: `Bearer ${await oauth.token(connection)}` };
}
async function read(path: string, headers: Record<string, string>) {
  const response = await fetch(`${teams.gateway.url}${path}`, { headers });
  const { data } = (await response.json()) as { data: Record<string, unknown>[] };
  return { status: response.status, data };
}

const viewers: [string, () => Promise<Record<string, string>>][] = [
  ['the Owner', () => session(acme.owner)],
  ['a member with the permission', () => session(reader)],
  ['a key with the permission', () => keyWith(['can_view_organization_mcp_settings'])],
  ['a key that may change them', () => keyWith(['can_update_organization_mcp_settings'])],
  ['a token with the scope', () => tokenWith(['read:organization_mcp_settings'])],
];
const others: [string, () => Promise<Record<string, string>>][] = [
  ['a member without the permission', () => session(powerless)],
  ['a key with another permission', () => keyWith(['can_view_organization_members'])],
  ['a key without permissions', () => keyWith([])],
  ['a token with another scope', () => tokenWith(['read:organization_members'])],
  ['a token with only mcp_tools', () => tokenWith(['mcp_tools'])],
];
const flagsIn = ({ data }: Awaited<ReturnType<typeof read>>) => [
  ...new Set(data.flatMap((item) => ['selected', 'organization_wide'].filter((f) => f in item))),
];

test.each(['tools', 'prompts'])(
  'the catalog of %s shows what an organization selected only to who may view its settings',
  async (family) => {
    const path = `/api/organizations/${acme.id}/catalog/${family}`;

    for (const [who, headersOf] of viewers) {
      const shown = await read(path, await headersOf());
      expect([who, flagsIn(shown)]).toEqual([who, ['selected', 'organization_wide']]);
    }
    for (const [who, headersOf] of others) {
      const shown = await read(path, await headersOf());
      expect([who, shown.status, flagsIn(shown)]).toEqual([who, 200, []]);
      expect(shown.data.length).toBeGreaterThan(3);
    }
  },
);

test('the list of organizations shows plan and creation time only to who may view the organization', async () => {
  const fieldsFor = async (headers: Record<string, string>) => {
    const { data } = await read('/api/organizations', headers);
    expect(data).toMatchObject([{ id: acme.id, name: 'Acme', status: 'active' }]);
    return ['plan', 'created_at'].filter((name) => name in data[0]!);
  };

  for (const headers of [
    await session(acme.owner),
    await keyWith(['can_view_organization']),
    await keyWith(['can_update_organization']),
    await tokenWith(['read:organization']),
  ])
    expect(await fieldsFor(headers)).toEqual(['plan', 'created_at']);
  for (const [, headersOf] of others) expect(await fieldsFor(await headersOf())).toEqual([]);
});

test('a key or token is shown only those teams of its person in which it is active', async () => {
  const teamsFor = async (headers: Record<string, string>) => {
    const { data } = await read('/api/organizations', headers);
    const { teams: shown } = data[0]!['membership'] as { teams: { name: string }[] };
    return shown.map(({ name }) => name);
  };
  const org_scope = acme.id;

  expect(await teamsFor(await session(acme.owner))).toEqual(['blue', 'red']);
  expect(await teamsFor(await keyWith([], { org_scope }))).toEqual(['blue', 'red']);
  expect(await teamsFor(await keyWith([], { org_scope, team_ids: [blue.id] }))).toEqual(['blue']);
  expect(await teamsFor(await keyWith([], { org_scope, team_ids: [] }))).toEqual([]);
  // A key that runs in its person's account is active in no team.
  expect(await teamsFor(await keyWith([]))).toEqual([]);
  expect(await teamsFor(await tokenWith(['mcp_tools']))).toEqual(['blue', 'red']);
  expect(await teamsFor(await tokenWith(['mcp_tools'], [acme.team.id]))).toEqual(['red']);
});

import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ConnectionRecord } from '../../../../src/oauth/connections/schema.ts';
import { createConnectionsSupport } from '../../../support/people/connections.ts';
import { askAs, createRole, driftOf } from '../../../support/people/organizations.ts';
import type { SignedUp } from '../../../support/people/people.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';
import { useTeams } from '../../../support/worlds/use-teams.ts';
import { createTeam, createTeamRole, seatsOf } from '../../../support/people/teams.ts';
import { ask } from '../../mcp/key-holder.ts';
import { clientsIn, edit, publicDraft, registered } from './registering.ts';

let mia: SignedUp;
const teams = await useTeams();
const created = await teams.organization();
const { owner, id: acme } = created;
const red = created.team.id;
const blue = (await createTeam(owner, acme, 'blue')).id;
const path = `/api/organizations/${acme}/team-roles`;
const role = { name: 'Tooling', capabilities: ['tools'] };
/** A team role with the capability to use tools, and an organization role with none. */
const tooling = (await createTeamRole(owner, path, role)).id;
const plain = (await createRole(owner, acme, { name: 'Plain', permissions: [] })).id;
const support = await closeAfterTests(createConnectionsSupport(teams.world, teams.gateway));

/** Mia can use tools through her role in the blue team alone. */
beforeEach(async () => {
  mia = await teams.join(acme, 'mia', [plain]);
  await seatsOf(acme, red).add(owner, mia);
  await seatsOf(acme, blue).add(owner, mia, [tooling]);
});
afterEach(async () => {
  expect(await driftOf(teams.gateway)).toEqual([]);
});

/** Registers a client that is bound to teams, or follows them. */
const clientOf = (team_ids: string[] | null) =>
  registered(owner, clientsIn(acme), { ...publicDraft, team_ids });

/** Authorizes a client as Mia, and returns a token of the connection. */
async function tokenOf({ id }: { id: string }, team_ids: string[] | null) {
  const connection = await support.authorize(
    {
      ...{ id, organization_id: acme, grant_types: publicDraft.grant_types, disabled_at: null },
      ...{ allowed_scopes: ['mcp_tools'], team_ids, has_own_authority: false },
    },
    mia,
  );
  return support.token(connection);
}

/** Narrows or widens a client in the rows alone, as if the gateway had stopped right afterwards. */
async function setTeams({ id }: { id: string }, team_ids: string[]): Promise<void> {
  const { query } = teams.world;
  await query('UPDATE oauth_client SET follows_teams = false WHERE id = $1', [id]);
  await query('DELETE FROM oauth_client_team WHERE client_id = $1', [id]);
  for (const team of team_ids)
    await query('INSERT INTO oauth_client_team VALUES ($1, $2, $3)', [id, acme, team]);
}

/** Calls a tool that Mia may not use: whether for lack of the capability, or of the tool. */
async function call(token: string) {
  const headers = { authorization: `Bearer ${token}` };
  const { status, body } = await ask(`${teams.otherGateway.url}/mcp`, headers, 'tools/call', {
    ...{ name: 'calculator', arguments: { expression: '1' } },
  });
  return body.result?.structuredContent?.error?.code ?? status;
}
const CAPABLE = 'tool_not_permitted';
const INCAPABLE = 'capability_denied';

const record = async () =>
  (await askAs<{ data: ConnectionRecord[] }>(mia, { path: '/api/me/connections' })).body.data[0];

test.for([
  { title: 'that is bound to it', isBound: true },
  { title: 'that followed its person’s teams', isBound: false },
])(
  'the role in a team that a client lost gives nothing at the next request to a connection $title (C3)',
  async ({ isBound }) => {
    const bound = isBound ? [red, blue] : null;
    const client = await clientOf(bound);
    const token = await tokenOf(client, bound);
    expect(await call(token)).toBe(CAPABLE);

    await setTeams(client, [red]);
    expect(await call(token)).toBe(INCAPABLE);
    expect(await record()).toMatchObject({ follows_memberships: false, teams: [{ id: red }] });
  },
);

test('an edit that takes a team from a client takes it from its connections', async () => {
  const client = await clientOf(null);
  const token = await tokenOf(client, null);

  await edit(owner, client.path, { team_ids: [red] });
  expect(
    await teams.world.query(
      `SELECT follows_teams, ARRAY(SELECT team_id::text FROM oauth_connection_team
         WHERE connection_id = c.id) AS team_ids FROM oauth_connection c WHERE client_id = $1`,
      [client.id],
    ),
  ).toEqual([{ follows_teams: false, team_ids: [red] }]);
  expect(await call(token)).toBe(INCAPABLE);
});

test.for([
  { title: 'a call in between', calls: true },
  { title: 'none', calls: false },
])(
  'a client that gets a team back, after $title, gets it back for nobody who did not authorize it again',
  async ({ calls }) => {
    const client = await clientOf([red, blue]);
    const token = await tokenOf(client, [red, blue]);
    await setTeams(client, [red]);
    if (calls) await call(token);

    await edit(owner, client.path, { team_ids: null });
    expect(await call(token)).toBe(INCAPABLE);
    expect(await record()).toMatchObject({ follows_memberships: false, teams: [{ id: red }] });
    expect(await call(await tokenOf(client, [blue]))).toBe(CAPABLE);
  },
);

test('a connection is not bound to a team of its client that its person has not joined', async () => {
  await seatsOf(acme, blue).remove(owner, mia);
  const client = await clientOf(null);
  const token = await tokenOf(client, null);

  await setTeams(client, [red, blue]);
  expect(await call(token)).toBe(INCAPABLE);
  expect(await record()).toMatchObject({ teams: [{ id: red }] });
  await seatsOf(acme, blue).add(owner, mia, [tooling]);
  expect(await call(token)).toBe(INCAPABLE);
});

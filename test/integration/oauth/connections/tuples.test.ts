import { expect, test } from 'vitest';
import { createEngine } from '../../../../src/authz/engine/client.ts';
import { tupleKey } from '../../../../src/authz/tuple.ts';
import { createConnectionsSupport } from '../../../support/people/connections.ts';
import { askAs, driftOf } from '../../../support/people/organizations.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';
import { useTeams } from '../../../support/worlds/use-teams.ts';
import { createTeam } from '../../../support/people/teams.ts';
import { goodPassword } from '../../../support/people/people.ts';

const teams = await useTeams();
const support = await closeAfterTests(createConnectionsSupport(teams.world, teams.gateway));
const { env } = teams.world;
const [deployment] = await teams.world.query<{ model_id: string }>(
  'SELECT model_id FROM authz_deployment',
);
const engine = createEngine({
  ...{ apiUrl: env['OPENFGA_API_URL']!, apiToken: env['OPENFGA_API_TOKEN'] },
  ...{ storeId: env['OPENFGA_STORE_ID']!, modelId: deployment!.model_id },
});

/** Returns the relations of a subject on an object, sorted. */
async function relationsOf(subject: string, object: string): Promise<string[]> {
  const tuples = await engine.read(object);
  return tuples
    .filter(({ user }) => user === subject)
    .map(({ relation }) => relation)
    .toSorted();
}

const SCOPES = ['mcp_tools', 'read:resources', 'create:prompts'];
const IN_ORGANIZATION = ['mcp_agents', 'read:organization_members', 'update:team_resources'];

test('a personal connection has the tuples of its scopes on the account alone', async () => {
  const { owner } = await teams.organization();
  const account_id = owner.account_id;
  const client = await support.client({
    ...{ owner: { account_id }, scopes: [...SCOPES, ...IN_ORGANIZATION, 'mcp_*'] },
  });
  const id = await support.authorize(client, owner);

  expect(await relationsOf(`connection:${id}`, `account:${account_id}`)).toEqual([
    ...['carried_prompts_create', 'carried_resources_read', 'declared_agents'],
    ...['declared_tools', 'granted', 'principal', 'runs_here'],
  ]);
  expect(await driftOf(teams.gateway)).toEqual([]);
  await support.revoke(id);
  expect(await relationsOf(`connection:${id}`, `account:${account_id}`)).toEqual([]);
  expect(await driftOf(teams.gateway)).toEqual([]);
});

test.for([
  { title: 'bound to teams', bound: true, grants: ['authorization_code'], more: [] },
  {
    title: 'following teams',
    bound: false,
    grants: ['authorization_code'],
    more: ['follows_teams'],
  },
  {
    ...{ title: 'with authority of its own (SC4)', bound: true, more: ['frozen'] },
    grants: ['authorization_code', 'client_credentials'],
  },
])('a connection in an organization, $title', async ({ bound, grants, more }) => {
  const { id: organization_id, owner, team } = await teams.organization();
  // Mia has joined no team: a binding alone gives her connection a seat there.
  const mia = await teams.join(organization_id, 'mia');
  const client = await support.client({
    ...{ owner: { organization_id }, scopes: [...SCOPES, ...IN_ORGANIZATION] },
    ...{ grant_types: grants, team_ids: bound ? [team.id] : null },
  });
  const id = await support.authorize(client, mia);
  const subject = `connection:${id}`;
  const [account, membership] = [
    `account:${mia.account_id}`,
    `membership:${organization_id}.${mia.account_id}`,
  ];
  const seat = `team_seat:${team.id}.${mia.account_id}`;

  expect(await relationsOf(subject, account)).toEqual(['principal']);
  expect(await relationsOf(subject, membership)).toEqual(
    [
      ...['carried_members_read', 'declared_agents', 'declared_tools', 'granted', 'runs_here'],
      ...['team_carried_resources_update', ...more],
    ].toSorted(),
  );
  expect((await engine.read(seat)).map(tupleKey).toSorted()).toEqual(
    bound ? [`${seat}#bound@${subject}`, `${seat}#holder@${membership}`] : [],
  );
  expect(await driftOf(teams.gateway)).toEqual([]);

  const deleted = await askAs(owner, {
    ...{ method: 'DELETE', path: `/api/organizations/${organization_id}/teams/${team.id}` },
    body: { confirm: team.name },
  });
  expect(deleted.status).toBe(204);
  await expect.poll(() => engine.read(seat)).toEqual([]);
  await support.revoke(id);
  expect(await relationsOf(subject, account)).toEqual([]);
  expect(await relationsOf(subject, membership)).toEqual([]);
  expect(await driftOf(teams.gateway)).toEqual([]);
});

test('a machine connection has seats in its teams, or in every team also created later', async () => {
  const { id: organization_id, owner, team } = await teams.organization();
  const fields = { owner: { organization_id }, scopes: IN_ORGANIZATION };
  const client = await support.client({ ...fields, grant_types: ['client_credentials'] });
  const following = await support.machine(client);
  const blue = await createTeam(owner, organization_id, 'blue');
  const other = await support.client({ ...fields, grant_types: ['client_credentials'] });
  const bound = await support.machine({ ...other, team_ids: [team.id] });
  const service = (id: string) => `service:${organization_id}.${id}`;
  const seat = (id: string, { id: team_id }: { id: string }) => `team_seat:${team_id}.${id}`;
  const seatTuples = (id: string, where: { id: string }) => [
    `${seat(id, where)}#bound@machine:${id}`,
    `${seat(id, where)}#holder@${service(id)}`,
  ];
  const read = async (object: string) => (await engine.read(object)).map(tupleKey).toSorted();

  expect(await relationsOf(`machine:${following}`, service(following))).toEqual([
    ...['bearer', 'carried_members_read', 'declared_agents', 'granted'],
    'team_carried_resources_update',
  ]);
  expect(await read(seat(following, team))).toEqual(seatTuples(following, team));
  expect(await read(seat(following, blue))).toEqual(seatTuples(following, blue));
  expect(await read(seat(bound, team))).toEqual(seatTuples(bound, team));
  expect(await read(seat(bound, blue))).toEqual([]);
  expect(await driftOf(teams.gateway)).toEqual([]);

  const edited = { ...client, allowed_scopes: ['mcp_tools'], team_ids: [blue.id] };
  expect(await support.changeMachine(organization_id, client, edited)).toBe(following);
  expect(await relationsOf(`machine:${following}`, service(following))).toEqual([
    ...['bearer', 'declared_tools', 'granted'],
  ]);
  expect(await read(seat(following, team))).toEqual([]);
  const disabled = { ...edited, disabled_at: 'now' };
  expect(await support.changeMachine(organization_id, edited, disabled)).toBeNull();
  expect(await read(service(following))).toEqual([]);
  const enabled = await support.changeMachine(organization_id, disabled, edited);
  expect(enabled).not.toBe(following);
  expect(await driftOf(teams.gateway)).toEqual([]);
  await support.revoke(enabled!);
  // What was revoked by itself is not brought back by an edit of the client.
  expect(await support.changeMachine(organization_id, edited, client)).toBeNull();

  await askAs(owner, {
    ...{ method: 'DELETE', path: `/api/organizations/${organization_id}` },
    body: { confirm: 'Acme', current_password: goodPassword },
  });
  await expect
    .poll(() => teams.world.query('SELECT FROM organization WHERE id = $1', [organization_id]))
    .toEqual([]);
  expect(await read(service(bound))).toEqual([]);
  expect(await driftOf(teams.gateway)).toEqual([]);
});

import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { insertCalls } from '../../../src/limits/ledger/store.ts';
import type { LedgerRow } from '../../../src/limits/ledger/row.ts';
import { createDatabase } from '../../../src/platform/postgres/database.ts';
import type {
  OrganizationCall,
  OrganizationUsage,
  TeamUsage,
} from '../../../src/usage/organizations/schema.ts';
import { askAs, createRole, outcomeOf } from '../../support/people/organizations.ts';
import { createKey, goodPassword } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createTeam, createTeamRole } from '../../support/people/teams.ts';
import { ask } from '../mcp/key-holder.ts';

const teams = await useTeams();
const url = teams.gateway.config.DATABASE_URL;
const database = await closeAfterTests(createDatabase({ url, onIdleError: () => {} }));

const month = `${new Date().toISOString().slice(0, 'YYYY-MM'.length)}-01`;
const ended = { outcome: 'ok', layer: 'ok', duration_ms: 3 } as const;

/** Writes calls of an organization as a gateway does. */
const addCalls = (owner_id: string, ...calls: Partial<LedgerRow>[]) =>
  insertCalls(
    database.pool,
    calls.map((call) => ({
      ...{ call_id: randomUUID(), month, owner_kind: 'organization' as const, owner_id },
      ...{ kind: 'tool_call' as const, counted: true, account_id: null, arguments: null },
      ...{ key_id: null, credential_kind: null, space_id: null },
      ...{ item_id: 'hash', item_name: 'hash', ...ended, ...call },
    })),
  );

const path = '/api/organizations';
const usageOf = async (who: SignedUp, id: string) =>
  (await askAs<OrganizationUsage>(who, { path: `${path}/${id}/usage` })).body;
const callsOf = async (who: SignedUp, id: string, query = '') =>
  (
    await askAs<{ data: OrganizationCall[]; next_cursor: string | null }>(who, {
      path: `${path}/${id}/calls${query}`,
    })
  ).body;
const teamUsageOf = async (who: SignedUp, team: string) =>
  (await askAs<TeamUsage>(who, { path: `${team}/usage` })).body;

/** Creates an organization with a member, a team and calls of every kind of item. */
async function createOrganizationWithCalls() {
  const created = await teams.organization();
  const { id, owner, team } = created;
  const bob = await teams.join(id, 'bob');
  const [key, machine] = [randomUUID(), randomUUID()];
  const bobs = { account_id: bob.account_id, key_id: key, credential_kind: 'api_key' as const };
  const machines = { key_id: machine, credential_kind: 'machine' as const };
  const deploy = { item_id: 'id-of-deploy', item_name: 'red__deploy', space_id: team.id };
  const [own] = await teams.world.query<{ id: string }>(
    'SELECT id FROM membership WHERE account_id = $1',
    [bob.account_id],
  );
  const secret = { item_id: 'id-of-secret', item_name: 'me__secret', space_id: own!.id };
  await addCalls(
    id,
    { ...bobs },
    { ...bobs, ...deploy },
    { ...bobs, ...secret },
    { ...machines, ...deploy },
    { ...machines, item_id: 'id-of-report', item_name: 'report', space_id: id },
    { ...machines, ...deploy, counted: false, outcome: 'refused', layer: 'limit' },
  );
  return { ...created, owner, bob, key, machine };
}

test('an organization’s usage has its windows and month, and calls by item, member and credential', async () => {
  const { id, owner, bob, key, machine } = await createOrganizationWithCalls();
  await teams.gateway.service.organizations.setPlan(id, 'pro');

  const usage = await usageOf(owner, id);

  expect(usage).toEqual({
    windows: ['minute', 'hour', 'day'].map((window) => ({
      ...{ window, limit: expect.any(Number), used: 0, resets_at: expect.any(String) },
    })),
    month: { limit: 250_000, used: 5, resets_at: expect.any(String) },
    tools: [
      { id: 'id-of-deploy', name: 'red__deploy', calls: 2 },
      { id: 'hash', name: 'hash', calls: 1 },
      { id: 'id-of-report', name: 'report', calls: 1 },
    ],
    members: [{ account_id: bob.account_id, email: bob.email, calls: 3 }],
    credentials: [
      { kind: 'api_key', id: key, calls: 3 },
      { kind: 'machine', id: machine, calls: 2 },
    ],
  });
});

test('calls are listed with their member and credential, and can be filtered by them', async () => {
  const { id, owner, bob, key, machine } = await createOrganizationWithCalls();

  const { data } = await callsOf(owner, id);

  expect(data).toHaveLength(6);
  expect(data.find(({ credential, item }) => credential!.id === key && item.id === 'hash')).toEqual(
    {
      id: expect.any(String),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      kind: 'tool_call',
      item: { id: 'hash', name: 'hash' },
      member: { account_id: bob.account_id, email: bob.email },
      credential: { kind: 'api_key', id: key },
      ...ended,
    },
  );
  const count = async (query: string) => (await callsOf(owner, id, query)).data.length;
  expect(await count(`?account_id=${bob.account_id}`)).toBe(3);
  expect(await count(`?account_id=${owner.account_id}`)).toBe(0);
  expect(await count(`?credential_id=${machine}`)).toBe(3);
  expect(await count(`?credential_id=${machine}&outcome=refused`)).toBe(1);
  expect(await count('?item=red__deploy')).toBe(3);
  expect(await count('?from=2999-01-01T00:00:00Z')).toBe(0);
});

test('an item in a member’s own space is not named to anyone else', async () => {
  const { id, owner } = await createOrganizationWithCalls();

  const everything = JSON.stringify([await usageOf(owner, id), await callsOf(owner, id)]);

  expect(everything).not.toContain('secret');
  for (const item of ['me__secret', 'id-of-secret'])
    expect((await callsOf(owner, id, `?item=${item}`)).data).toEqual([]);
  expect((await callsOf(owner, id)).data.filter(({ item }) => item.id === null)).toHaveLength(1);
  const stored = await teams.world.query("SELECT 1 FROM usage_ledger WHERE item_name ~ 'secret'");
  expect(stored).toEqual([]);
});

test('an item of a team is named only to those who are in the team, or may manage every team', async () => {
  const { id, owner, bob, add } = await createOrganizationWithCalls();
  const role = await createRole(owner, id, {
    ...{ name: 'Usage', permissions: ['can_view_organization_usage'] },
  });
  const member = `${path}/${id}/members/${bob.account_id}`;
  await askAs(owner, { method: 'PATCH', path: member, body: { role_ids: [role.id] } });
  const deploys = async (who: SignedUp) => {
    const { tools, month: used } = await usageOf(who, id);
    const named = await callsOf(who, id, '?item=red__deploy');
    const byId = await callsOf(who, id, '?item=id-of-deploy');
    const all = await callsOf(who, id);
    expect([used.used, all.data.length]).toEqual([5, 6]);
    const isNamed = JSON.stringify([tools, all]).includes('deploy');
    return [isNamed, named.data.length, byId.data.length];
  };

  expect(await deploys(owner)).toEqual([true, 3, 3]);
  expect(await deploys(bob)).toEqual([false, 0, 0]);
  expect((await add(owner, bob)).status).toBe(201);
  expect(await deploys(bob)).toEqual([true, 3, 3]);
});

test('a call with a person’s key in the organization is listed with the person and the key', async () => {
  const { id, owner } = await teams.organization();
  const key = await createKey(owner, { org_scope: id });
  const args = { name: 'setup', arguments: { client: 'other' } };
  await ask(`${teams.otherGateway.url}/mcp`, { 'x-api-key': key.secret }, 'tools/call', args);

  await expect.poll(async () => (await callsOf(owner, id)).data.length).toBe(1);
  expect((await callsOf(owner, id)).data[0]).toMatchObject({
    ...{ kind: 'system_call', item: { name: 'setup' }, outcome: 'ok' },
    member: { account_id: owner.account_id, email: owner.email },
    credential: { kind: 'api_key', id: key.id },
  });
  const own = await askAs<{ data: object[] }>(owner, { path: '/api/me/calls' });
  expect(own.body.data).toEqual([]);
});

test('pages have no gaps or duplicates; a cursor of another owner is unknown', async () => {
  const { id, owner } = await createOrganizationWithCalls();
  const other = await createOrganizationWithCalls();
  const all = (await callsOf(owner, id)).data.map((call) => call.id);
  const paged: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page = await callsOf(owner, id, `?limit=4${cursor && `&cursor=${cursor}`}`);
    paged.push(...page.data.map((call) => call.id));
    cursor = page.next_cursor;
  }
  const [foreign] = (await callsOf(other.owner, other.id)).data;

  expect(paged).toEqual(all);
  for (const cursor of [randomUUID(), foreign!.id]) {
    const request = { path: `${path}/${id}/calls?cursor=${cursor}` };
    expect(outcomeOf(await askAs(owner, request))).toEqual([400, 'invalid_cursor']);
  }
});

test('a team’s usage counts the calls of its items, by item, member and credential', async () => {
  const { id, owner, bob, key, machine, path: red } = await createOrganizationWithCalls();
  const blue = await createTeam(owner, id, 'blue');

  expect(await teamUsageOf(owner, red)).toEqual({
    month: { used: 2, resets_at: expect.stringMatching(/-01T00:00:00/) },
    tools: [{ id: 'id-of-deploy', name: 'red__deploy', calls: 2 }],
    members: [{ account_id: bob.account_id, email: bob.email, calls: 1 }],
    credentials: [
      ...[{ kind: 'api_key', id: key, calls: 1 }],
      ...[{ kind: 'machine', id: machine, calls: 1 }],
    ].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  });
  expect(await teamUsageOf(owner, `${path}/${id}/teams/${blue.id}`)).toMatchObject({
    ...{ month: { used: 0 }, tools: [], members: [], credentials: [] },
  });
});

test('the usage of an organization and that of a team require separate permissions', async () => {
  const { id, owner, bob, path: red, add } = await createOrganizationWithCalls();
  const requests = [`${path}/${id}/usage`, `${path}/${id}/calls`, `${red}/usage`];
  const statuses = async () => {
    const answers = [];
    for (const request of requests) answers.push(outcomeOf(await askAs(bob, { path: request })));
    return answers;
  };
  const denied = [403, 'permission_denied'];
  expect(await statuses()).toEqual([denied, denied, [404, 'not_found']]);

  const usageRole = await createTeamRole(owner, `${red}/roles`, {
    ...{ name: 'Usage', permissions: ['can_view_team_usage'] },
  });
  await add(owner, bob, [usageRole.id]);
  expect(await statuses()).toEqual([denied, denied, [200]]);

  const role = await createRole(owner, id, {
    ...{ name: 'Usage', permissions: ['can_view_organization', 'can_view_organization_usage'] },
  });
  const member = `${path}/${id}/members/${bob.account_id}`;
  await askAs(owner, { method: 'PATCH', path: member, body: { role_ids: [role.id] } });
  expect(await statuses()).toEqual([[200], [200], [200]]);
});

test('the calls of a deleted account remain, without the account’s address', async () => {
  const { id, owner, bob } = await createOrganizationWithCalls();
  const body = { confirm: bob.email, current_password: goodPassword };
  await askAs(bob, { method: 'DELETE', path: '/api/user/account', body });

  const gone = { account_id: bob.account_id, email: null };
  expect((await usageOf(owner, id)).members).toEqual([{ ...gone, calls: 3 }]);
  expect((await callsOf(owner, id, `?account_id=${bob.account_id}`)).data[0]!.member).toEqual(gone);
});

test('a row that is sent again is not counted again, and arguments are not kept', async () => {
  const { id, owner } = await teams.organization();
  const { account_id } = owner;
  const call = { call_id: randomUUID(), account_id, arguments: '{"text":"private"}' };

  for (let sent = 0; sent < 3; sent += 1) await addCalls(id, call);

  expect((await usageOf(owner, id)).members).toEqual([
    { account_id, email: owner.email, calls: 1 },
  ]);
  const kept = await teams.world.query('SELECT 1 FROM call_arguments WHERE call_id = $1', [
    call.call_id,
  ]);
  expect(kept).toEqual([]);
});

test('a call with the id of another organization’s team is not counted for that team', async () => {
  const acme = await teams.organization();
  const other = await teams.organization();
  const foreign = { item_id: 'x', item_name: 'red__x', space_id: other.team.id };

  await addCalls(acme.id, { account_id: acme.owner.account_id, ...foreign });

  expect((await teamUsageOf(other.owner, other.path)).month.used).toBe(0);
  expect((await usageOf(acme.owner, acme.id)).tools).toEqual([]);
});

import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createConnectionsSupport } from '../../support/people/connections.ts';
import { askAs, outcomeOf } from '../../support/people/organizations.ts';
import { createKey, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { scopedKeys } from '../keys/scoped-keys.ts';
import { decisionsOf, readDecisions, untilVisible } from './reading.ts';

const teams = await useTeams({ DECISIONS_SAMPLING: '1', AUTHZ_CACHE: 'on' });
const oauth = await closeAfterTests(createConnectionsSupport(teams.world, teams.gateway));
const acme = await teams.organization();
const { id, owner } = acme;
const path = `/api/organizations/${id}`;
const audit = { path: `${path}/audit` };
const bob = await teams.join(id, 'bob');
const { create } = scopedKeys(() => teams.gateway);

type Request = Parameters<typeof askAs>[1];

/** Sends a request, and returns its outcome and the decisions on it, as the Owner sees them. */
async function decided(who: SignedUp, request: Request) {
  const answer = await askAs(who, request);
  const request_id = answer.headers.get('x-request-id');
  return { outcome: outcomeOf(answer), request_id, rows: await decisionsOf(owner, id, request_id) };
}
/** Returns what is recorded about a request of a stranger, for which nobody has a list. */
const storedOf = (request_id: string | null) =>
  teams.world.query(
    'SELECT organization_id, account_id, reason FROM access_decision WHERE request_id = $1',
    [request_id],
  );
const withKey = (who: SignedUp, { secret }: { secret: string }): SignedUp => ({
  ...who,
  bearer: { 'x-api-key': secret } as never,
});
const withToken = async (who: SignedUp, connection: string): Promise<SignedUp> => ({
  ...who,
  bearer: { authorization: `Bearer ${await oauth.token(connection)}` },
});
const denied = (layer: string, reason: string) => ({ outcome: 'denied', layer, reason });
const member = (who: SignedUp) => ({ kind: 'member', id: who.account_id, name: who.email });

test('a request without the permission has one denied decision, with the id of the response', async () => {
  const { outcome, request_id, rows } = await decided(bob, audit);

  expect(outcome).toEqual([403, 'permission_denied']);
  expect(rows).toEqual([
    {
      ...{ id: expect.any(String), at: expect.stringMatching(/^\d{4}-.*Z$/), request_id },
      ...{ subject: member(bob), action: 'can_view_organization_audit', team: null },
      ...denied('capability', 'permission_missing'),
      ...{ model_id: expect.stringMatching(/^[0-9A-Z]{26}$/), cached: false, sampled: 1 },
    },
  ]);
});

test('a decision says whether OpenFGA was called for it', async () => {
  const ann = await teams.join(id, 'ann');
  const [first, second] = [await decided(ann, audit), await decided(ann, audit)];
  const cached = [...first.rows, ...second.rows].map((row) => row.cached);

  expect(cached).toEqual([false, true]);
});

test('a request that is allowed has one allowed decision, whatever its handler answers', async () => {
  const found = await decided(owner, audit);
  const absent = await decided(owner, { path: `${path}/members/${randomUUID()}` });

  const allowed = { outcome: 'allowed', layer: null, reason: null, sampled: 1 };
  expect(found.rows).toEqual([
    expect.objectContaining({ subject: member(owner), ...allowed, team: null }),
  ]);
  expect(absent.outcome).toEqual([404, 'not_found']);
  expect(absent.rows).toEqual([
    expect.objectContaining({ action: 'can_view_organization_members', ...allowed }),
  ]);
});

test('a request in a team names the team, whether the member is in it or not', async () => {
  const member_path = `${acme.path}/members`;
  const outside = await decided(bob, { path: acme.path });
  const list = await decided(owner, { path: member_path });

  expect(outside.outcome).toEqual([404, 'not_found']);
  expect(outside.rows).toEqual([
    expect.objectContaining({
      ...{ action: 'can_see', team: acme.team.id },
      ...denied('absent', 'not_in_team'),
    }),
  ]);
  expect(list.rows).toEqual([
    expect.objectContaining({ action: 'can_view_team_members', team: acme.team.id }),
  ]);
});

test('a key without a grant does not see the organization, and its name is not shown', async () => {
  const key = await createKey(bob, { name: 'Secret project' });

  const { outcome, rows } = await decided(withKey(bob, key), { path });

  expect(outcome).toEqual([404, 'not_found']);
  expect(rows).toEqual([
    expect.objectContaining({
      ...{ subject: { kind: 'key', id: key.id, name: null } },
      ...denied('absent', 'not_visible'),
    }),
  ]);
});

test('a key of the organization is named, and a client that acts by itself too', async () => {
  const { body: key } = await create(owner, { name: 'Deployer' }, `${path}/keys`);
  const client = await oauth.client({
    ...{ owner: { organization_id: id }, scopes: ['read:organization_roles'] },
    grant_types: ['client_credentials'],
  });
  const machine = await withToken(owner, await oauth.machine(client));

  const byKey = await decided(withKey(owner, key), audit);
  const byMachine = await decided(machine, audit);

  expect(byKey.rows).toEqual([
    expect.objectContaining({
      subject: { kind: 'organization_key', id: key.id, name: 'Deployer' },
    }),
  ]);
  expect(byMachine.rows).toEqual([
    expect.objectContaining({
      subject: { kind: 'client', id: expect.any(String), name: 'Client' },
    }),
  ]);
});

test('a token without the scope, and one where a session is required, are denied for that', async () => {
  const client = await oauth.client({
    ...{ owner: { organization_id: id }, scopes: ['read:organization_roles'] },
  });
  const connection = await oauth.authorize(client, owner);
  const token = await withToken(owner, connection);

  const withoutScope = await decided(token, { path: `${path}/members` });
  const interactive = await decided(token, {
    ...{ method: 'POST', path: `${path}/transfer-ownership` },
    body: { account_id: bob.account_id },
  });

  expect(withoutScope.outcome).toEqual([403, 'insufficient_scope']);
  const subject = { kind: 'connection', id: connection, name: 'Client' };
  expect(withoutScope.rows).toEqual([
    expect.objectContaining({ subject, ...denied('credential', 'insufficient_scope') }),
  ]);
  expect(interactive.outcome).toEqual([403, 'interactive_only']);
  expect(interactive.rows).toEqual([
    expect.objectContaining({ subject, ...denied('credential', 'interactive_only') }),
  ]);
});

test('a stranger’s request is in the log of no organization, and a former member’s in that one, without the address', async () => {
  const eve = await signUp(teams.world, teams.gateway, 'eve');
  const carl = await teams.join(id, 'carl');
  await askAs(owner, { method: 'DELETE', path: `${path}/members/${carl.account_id}` });

  const stranger = await askAs(eve, audit);
  const former = await decided(carl, audit);

  expect([stranger.status, former.outcome]).toEqual([404, [404, 'not_found']]);
  expect(former.rows).toEqual([
    expect.objectContaining({
      ...{ subject: { ...member(carl), name: null }, ...denied('absent', 'not_a_member') },
    }),
  ]);
  const request_id = stranger.headers.get('x-request-id');
  expect((await readDecisions(owner, id, `?subject=${eve.account_id}`)).data).toEqual([]);
  expect(await storedOf(request_id)).toEqual([
    { organization_id: null, account_id: eve.account_id, reason: 'not_a_member' },
  ]);
});

test('a request to a suspended organization is denied for that', async () => {
  const beta = await teams.organization();
  const { setStatus } = teams.gateway.service.organizations;
  await setStatus(beta.id, 'suspended');
  const answer = await askAs(beta.owner, { path: `/api/organizations/${beta.id}/members` });
  await setStatus(beta.id, 'active');

  expect(outcomeOf(answer)).toEqual([403, 'organization_suspended']);
  expect(await decisionsOf(beta.owner, beta.id, answer.headers.get('x-request-id'))).toEqual([
    expect.objectContaining(denied('organization', 'organization_suspended')),
  ]);
});

test('every refusal of many at once has one decision', async () => {
  const dora = await teams.join(id, 'dora');
  const answers = await Promise.all(Array.from({ length: 60 }, () => askAs(dora, audit)));
  await untilVisible();

  const { data } = await readDecisions(owner, id, `?subject=${dora.account_id}&limit=200`);
  const sent = answers.map(({ headers }) => headers.get('x-request-id'));
  expect(data).toHaveLength(sent.length);
  expect(new Set(data.map(({ request_id }) => request_id))).toEqual(new Set(sent));
});

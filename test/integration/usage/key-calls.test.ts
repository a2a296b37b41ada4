import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { insertCalls } from '../../../src/limits/ledger/store.ts';
import type { LedgerRow } from '../../../src/limits/ledger/row.ts';
import { createDatabase } from '../../../src/platform/postgres/database.ts';
import type { KeyCall } from '../../../src/usage/schema.ts';
import { askAs, outcomeOf } from '../../support/people/organizations.ts';
import { createKey, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { ask } from '../mcp/key-holder.ts';

const teams = await useTeams();
const url = teams.gateway.config.DATABASE_URL;
const database = await closeAfterTests(createDatabase({ url, onIdleError: () => {} }));

const month = `${new Date().toISOString().slice(0, 'YYYY-MM'.length)}-01`;

interface Calls {
  data: KeyCall[];
  next_cursor: string | null;
}
const callsOf = (who: SignedUp, id: string, query = '') =>
  askAs<Calls>(who, { path: `/api/keys/${id}/calls${query}` });
const namesOf = async (who: SignedUp, id: string, query = '') =>
  (await callsOf(who, id, query)).body.data.map(({ item }) => item.name ?? '-').toSorted();

/** Writes calls of a key as a gateway does. */
const addCalls = (
  { organization_id, ...key }: { organization_id: string; key_id: string; account_id: string },
  ...calls: Partial<LedgerRow>[]
) =>
  insertCalls(
    database.pool,
    calls.map((call) => ({
      ...{ call_id: randomUUID(), month, owner_kind: 'organization' as const },
      ...{ owner_id: organization_id, kind: 'tool_call' as const, counted: true },
      ...{ credential_kind: 'api_key' as const, space_id: null, arguments: null, ...key },
      ...{ outcome: 'ok' as const, layer: 'ok' as const, duration_ms: 3 },
      ...{ item_id: 'hash', item_name: 'hash', ...call },
    })),
  );

/** Creates a member with a key in an organization, and calls of it to every kind of item. */
async function createScopedKey() {
  const created = await teams.organization();
  const { id, owner, team, add } = created;
  const bob = await teams.join(id, 'bob');
  await add(owner, bob);
  const key = await createKey(bob, { org_scope: id, mcp_capabilities: [] });
  const calls = { organization_id: id, key_id: key.id, account_id: bob.account_id };
  await addCalls(
    calls,
    {},
    { item_id: 'id-of-deploy', item_name: 'red__deploy', space_id: team.id },
    { item_id: 'id-of-report', item_name: 'report', space_id: id },
  );
  return { ...created, bob, key, calls };
}

test('the owner of a key sees its calls, also those that an organization pays for', async () => {
  const { id, owner } = await teams.organization();
  const key = await createKey(owner, { org_scope: id });
  const own = await createKey(owner, {});
  const args = { name: 'setup', arguments: { client: 'other' } };
  for (const { secret } of [key, own])
    await ask(`${teams.otherGateway.url}/mcp`, { 'x-api-key': secret }, 'tools/call', args);

  for (const each of [key, own]) {
    await expect.poll(async () => (await callsOf(owner, each.id)).body.data.length).toBe(1);
    expect((await callsOf(owner, each.id)).body).toEqual({
      data: [
        {
          id: expect.any(String),
          at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
          kind: 'system_call',
          item: { id: expect.any(String), name: 'setup' },
          outcome: 'ok',
          layer: 'ok',
          duration_ms: expect.any(Number),
          arguments: null,
        },
      ],
      next_cursor: null,
    });
  }
});

test('nobody else sees the calls of a key, not even the Owner of its organization; nor does anyone once it is revoked', async () => {
  const { owner, bob, key } = await createScopedKey();
  const stranger = await signUp(teams.world, teams.gateway, 'eve');
  const absent = [404, 'not_found'];

  for (const who of [owner, stranger])
    expect(outcomeOf(await callsOf(who, key.id))).toEqual(absent);
  expect(outcomeOf(await callsOf(bob, randomUUID()))).toEqual(absent);
  await askAs(bob, { method: 'DELETE', path: `/api/keys/${key.id}` });
  expect(outcomeOf(await callsOf(bob, key.id))).toEqual(absent);
});

test('an item of a team is named only while the owner of the key is in the team', async () => {
  const { owner, bob, key, add, remove } = await createScopedKey();

  expect(await namesOf(bob, key.id)).toEqual(['hash', 'red__deploy', 'report']);
  await remove(owner, bob);
  expect(await namesOf(bob, key.id)).toEqual(['-', 'hash', 'report']);
  for (const item of ['red__deploy', 'id-of-deploy'])
    expect(await namesOf(bob, key.id, `?item=${item}`)).toEqual([]);
  await add(owner, bob);
  expect(await namesOf(bob, key.id, '?item=red__deploy')).toEqual(['red__deploy']);
});

test('after leaving the organization, the owner of the key sees when it was used, but no item', async () => {
  const { id, owner, bob, key } = await createScopedKey();
  const member = `/api/organizations/${id}/members/${bob.account_id}`;

  expect((await askAs(owner, { method: 'DELETE', path: member })).status).toBe(204);

  expect(await namesOf(bob, key.id)).toEqual(['-', '-', '-']);
  expect(JSON.stringify((await callsOf(bob, key.id)).body)).not.toMatch(/deploy|report|hash/);
  for (const item of ['red__deploy', 'report', 'hash'])
    expect(await namesOf(bob, key.id, `?item=${item}`)).toEqual([]);
});

test('the list has the calls of this key alone; pages have no gaps, and a call of another key is no cursor', async () => {
  const { id, bob, key, calls } = await createScopedKey();
  const other = await createKey(bob, { org_scope: id, mcp_capabilities: [] });
  await addCalls({ ...calls, key_id: other.id }, {}, { outcome: 'refused', layer: 'limit' });
  await addCalls(calls, ...Array.from({ length: 6 }, () => ({})));
  const all = (await callsOf(bob, key.id)).body.data.map((call) => call.id);
  const paged: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body } = await callsOf(bob, key.id, `?limit=4${cursor && `&cursor=${cursor}`}`);
    paged.push(...body.data.map((call) => call.id));
    cursor = body.next_cursor;
  }

  expect(all).toHaveLength(9);
  expect(paged).toEqual(all);
  expect(await namesOf(bob, other.id, '?outcome=refused')).toEqual(['hash']);
  const { next_cursor: foreign } = (await callsOf(bob, other.id, '?limit=1')).body;
  expect(outcomeOf(await callsOf(bob, key.id, `?cursor=${foreign}`))).toEqual([
    400,
    'invalid_cursor',
  ]);
});

test('an API key cannot read the calls of a key, not even its own', async () => {
  const { bob, key } = await createScopedKey();
  const headers = { 'x-api-key': key.secret };
  const { status } = await bob.person.ask({ path: `/api/keys/${key.id}/calls`, headers });
  expect(status).toBe(403);
});

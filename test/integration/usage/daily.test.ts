import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { insertCalls } from '../../../src/limits/ledger/store.ts';
import type { LedgerRow } from '../../../src/limits/ledger/row.ts';
import { createDatabase } from '../../../src/platform/postgres/database.ts';
import type { DailyUsage } from '../../../src/usage/daily/schema.ts';
import { askAs, createRole, outcomeOf } from '../../support/people/organizations.ts';
import { createKey, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { ask } from '../mcp/key-holder.ts';

const teams = await useTeams();
const url = teams.gateway.config.DATABASE_URL;
const database = await closeAfterTests(createDatabase({ url, onIdleError: () => {} }));
const ada = await signUp(teams.world, teams.gateway, 'ada');

const today = () => new Date().toISOString().slice(0, 'YYYY-MM-DD'.length);
type Owner = Pick<LedgerRow, 'owner_kind' | 'owner_id'>;
const accountOf = ({ account_id }: SignedUp): Owner => ({
  owner_kind: 'account',
  owner_id: account_id,
});

/** Writes calls as a gateway does. */
const addCalls = (owner: Owner, ...calls: Partial<LedgerRow>[]) =>
  insertCalls(
    database.pool,
    calls.map((call) => ({
      ...{ call_id: randomUUID(), month: `${today().slice(0, 'YYYY-MM'.length)}-01`, ...owner },
      ...{ kind: 'tool_call' as const, counted: true, account_id: null, arguments: null },
      ...{ key_id: null, credential_kind: null, space_id: null, item_id: 'hash' },
      ...{ item_name: 'hash', outcome: 'ok' as const, layer: 'ok' as const, duration_ms: 3 },
      ...call,
    })),
  );
const refused = { counted: false, outcome: 'refused', layer: 'limit' } as const;
const read = { kind: 'content_read', counted: false, item_name: 'guide.md' } as const;

const daily = (who: SignedUp, query = '', base = '/api/me') =>
  askAs<DailyUsage>(who, { path: `${base}/usage/daily${query}` });
const period = (from: string, to: string) => `?from=${from}&to=${to}`;

test('each day has its calls, refusals and content reads; days without any are zero', async () => {
  const bob = await signUp(teams.world, teams.gateway, 'bob');
  const owner = accountOf(bob);
  const call_id = randomUUID();
  await addCalls(owner, {}, { outcome: 'tool_error', layer: 'tool' }, refused, read, read);
  await addCalls(owner, { ...read, ...refused }, { ...refused, call_id });
  // A batch that is sent again adds nothing.
  await addCalls(owner, { ...refused, call_id });
  await addCalls(accountOf(ada), {}, refused, read);

  const { status, body } = await daily(bob);

  expect([status, body.days.length, body.items]).toEqual([200, 30, undefined]);
  expect(body.days.at(-1)).toEqual({ day: today(), calls: 2, refused: 3, content_reads: 2 });
  expect(new Set(body.days.slice(0, -1).map(({ calls, ...rest }) => calls + rest.refused))).toEqual(
    new Set([0]),
  );
});

test('a period is read from daily totals, first and last day included', async () => {
  const bob = await signUp(teams.world, teams.gateway, 'bob');
  await teams.world.query(
    `INSERT INTO usage_day VALUES ('account', $1, '2026-01-01', 'a', 'a', 1),
       ('account', $1, '2026-01-02', 'a', 'a', 2), ('account', $1, '2026-01-02', 'b', 'b', 4),
       ('account', $1, '2026-01-04', 'b', 'c', 8)`,
    [bob.account_id],
  );
  await teams.world.query(
    `INSERT INTO usage_uncounted VALUES ('account', $1, '2026-01-03', 5, 7)`,
    [bob.account_id],
  );

  expect((await daily(bob, period('2026-01-02', '2026-01-04'))).body).toEqual({
    days: [
      { day: '2026-01-02', calls: 6, refused: 0, content_reads: 0 },
      { day: '2026-01-03', calls: 0, refused: 5, content_reads: 7 },
      { day: '2026-01-04', calls: 8, refused: 0, content_reads: 0 },
    ],
  });
  expect((await daily(bob, `${period('2026-01-02', '2026-01-04')}&by=item`)).body.items).toEqual([
    {
      ...{ id: 'b', name: 'c' },
      days: [
        { day: '2026-01-02', calls: 4 },
        { day: '2026-01-04', calls: 8 },
      ],
    },
    { id: 'a', name: 'a', days: [{ day: '2026-01-02', calls: 2 }] },
  ]);
  const quarter = await daily(bob, period('2026-01-01', '2026-04-02'));
  expect(quarter.body.days).toHaveLength(92);
});

test.each([
  '?from=2026-01-01',
  '?to=2026-01-01',
  '?from=2026-01-01&to=2026-04-03',
  '?from=2026-01-02&to=2026-01-01',
  '?from=2026-02-30&to=2026-03-01',
  '?from=0000-01-01&to=0000-01-02',
  '?from=2026-01-01T00:00:00Z&to=2026-01-02',
  '?by=member',
])('a period that is too long, incomplete or malformed is rejected with 400: %s', async (query) => {
  expect(outcomeOf(await daily(ada, query))).toEqual([400, 'invalid_query']);
});

test('a real call of an organization’s member is counted for the organization alone, and a read too', async () => {
  const { id, owner } = await teams.organization();
  const key = await createKey(owner, { org_scope: id });
  const args = { name: 'nothing', arguments: {} };
  await ask(`${teams.otherGateway.url}/mcp`, { 'x-api-key': key.secret }, 'tools/call', args);

  const lastOf = async (base: string) => (await daily(owner, '', base)).body.days.at(-1);
  await expect
    .poll(() => lastOf(`/api/organizations/${id}`))
    .toEqual({ day: today(), calls: 0, refused: 1, content_reads: 0 });
  expect(await lastOf('/api/me')).toEqual({
    ...{ day: today(), calls: 0, refused: 0, content_reads: 0 },
  });
});

test('an organization’s daily usage needs the permission, and names an item of a team only to those inside', async () => {
  const { id, owner, team, add } = await teams.organization();
  const path = `/api/organizations/${id}`;
  const role = await createRole(owner, id, {
    ...{ name: 'Usage', permissions: ['can_view_organization_usage'] },
  });
  const bob = await teams.join(id, 'bob', [role.id]);
  const mia = await teams.join(id, 'mia');
  const deploy = { item_id: 'id-of-deploy', item_name: 'red__deploy', space_id: team.id };
  await addCalls({ owner_kind: 'organization', owner_id: id }, {}, deploy, deploy);
  const itemsFor = async (who: SignedUp) =>
    (await daily(who, '?by=item', path)).body.items!.map(({ name }) => name);

  expect(outcomeOf(await daily(mia, '', path))).toEqual([403, 'permission_denied']);
  expect(await itemsFor(owner)).toEqual(['red__deploy', 'hash']);
  expect(await itemsFor(bob)).toEqual(['hash']);
  expect((await daily(bob, '', path)).body.days.at(-1)!.calls).toBe(3);
  await add(owner, bob);
  expect(await itemsFor(bob)).toEqual(['red__deploy', 'hash']);
});

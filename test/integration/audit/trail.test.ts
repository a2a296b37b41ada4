import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createKey, ownAddresses, signUp } from '../../support/people/people.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway(ownAddresses);
const [ada, eve] = [await signUp(world, gateway, 'ada'), await signUp(world, gateway, 'eve')];

interface Row {
  id: string;
  at: string;
  actor: { kind: string; id: string | null };
  credential: { kind: string; id: string; name?: string } | null;
  action: string;
  target: { type: string; id: string; name?: string }[];
  outcome: string;
  detail: unknown;
}
interface Trail {
  data: Row[];
  next_cursor: string | null;
  errors?: { code: string }[];
}

const read = async (query: string, who = ada) =>
  who.person.ask<Trail>({ path: `/api/me/audit${query}`, headers: who.bearer });
const actionsOf = async (query: string, who = ada) =>
  (await read(query, who)).body.data.map(({ action }) => action);

/** Inserts a row as another gateway may have written it. */
async function addRow(row: { at: string; action?: string; account?: string; id?: string }) {
  const { at, action = 'key.update', account = ada.account_id, id = randomUUID() } = row;
  await world.query(
    `INSERT INTO audit_event (id, at, actor_kind, action, scope_kind, scope_id)
     VALUES ($1, $2, 'system', $3, 'account', $4)`,
    [id, at, action, account],
  );
  return id;
}

test('an audit trail starts with the account’s verification, is listed newest first, and shows keys by their current names', async () => {
  const { id } = await createKey(ada, { name: 'laptop' });

  const { status, body } = await read('');

  expect(status).toBe(200);
  expect(body.data.map(({ action }) => action)).toEqual([
    'key.create',
    'session.create',
    'account.verify',
  ]);
  expect(body.data[0]).toEqual({
    id: expect.any(String),
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    actor: { kind: 'user', id: ada.account_id },
    credential: { kind: 'session', id: expect.any(String) },
    address: expect.stringMatching(/^10\./),
    action: 'key.create',
    target: [{ type: 'api_key', id, name: 'laptop' }],
    outcome: 'done',
    detail: { after: expect.objectContaining({ name: 'laptop', grants: [], runs_in: null }) },
  });
});

test('an audit trail never contains another account’s rows or key names (rel:P1)', async () => {
  const foreign = await createKey(eve, { name: 'of eve' });
  await world.query(
    `INSERT INTO audit_event (id, actor_kind, action, scope_kind, scope_id, units)
     VALUES ($1, 'system', 'key.update', 'account', $2, $3)`,
    [randomUUID(), ada.account_id, JSON.stringify([{ type: 'api_key', id: foreign.id }])],
  );
  const { body } = await read('?limit=200');

  expect(JSON.stringify(body)).not.toContain(eve.account_id);
  expect(JSON.stringify(body)).not.toContain('of eve');
  expect(await actionsOf('', eve)).toEqual(['key.create', 'session.create', 'account.verify']);
});

test.each(['org_key', 'connection', 'machine'])(
  'a row whose actor is of kind %s shows it as actor and credential',
  async (kind) => {
    const [id, actor] = [randomUUID(), randomUUID()];
    const someone = await signUp(world, gateway);
    await world.query(
      `INSERT INTO audit_event (id, actor_kind, actor_id, credential_id, action, scope_kind, scope_id)
       VALUES ($1, $2, $3, $3, 'resource.create', 'account', $4)`,
      [id, kind, actor, someone.account_id],
    );
    const [newest] = (await read('?limit=1', someone)).body.data;

    expect(newest).toMatchObject({ actor: { kind, id: actor }, credential: { kind, id: actor } });
  },
);

test('a refused sign-in is in the trail of the account with the address; an unknown address has no trail', async () => {
  const wrong = { email: eve.email, password: 'quartz meadow tunnel 19' };
  await ada.person.ask({ path: '/api/auth/login', body: wrong });
  await ada.person.ask({ path: '/api/auth/login', body: { ...wrong, email: 'no@example.com' } });

  const { body } = await read('?outcome=refused', eve);

  expect(body.data).toEqual([
    expect.objectContaining({ action: 'session.refuse', outcome: 'refused', credential: null }),
  ]);
});

test('rows are ordered by database time, regardless of the clocks that created their ids (F-C1)', async () => {
  const ben = await signUp(world, gateway, 'ben');
  const owner = { account: ben.account_id };
  const late = '0190aaaa-0000-7000-8000-000000000000';
  await addRow({ ...owner, at: '2020-01-01T00:00:00Z', action: 'key.update', id: randomUUID() });
  await addRow({ ...owner, at: '2020-01-02T00:00:00Z', action: 'key.revoke', id: late });

  expect(await actionsOf('?to=2021-01-01T00:00:00Z', ben)).toEqual(['key.revoke', 'key.update']);
});

test('pagination has no gaps or duplicates, even among rows with equal timestamps', async () => {
  const cleo = await signUp(world, gateway, 'cleo');
  const at = '2021-01-01T00:00:00.123456Z';
  for (let n = 0; n < 7; n += 1) await addRow({ at, account: cleo.account_id });
  const all = (await read('?limit=200', cleo)).body.data.map(({ id }) => id);
  const paged: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body } = await read(`?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`, cleo);
    paged.push(...body.data.map(({ id }) => id));
    cursor = body.next_cursor;
  }

  expect(all).toHaveLength(9);
  expect(paged).toEqual(all);
});

test('a trail can be filtered by action prefix, outcome, from (inclusive) and to (exclusive)', async () => {
  const dora = await signUp(world, gateway, 'dora');
  for (const [at, action] of [
    ['2020-05-01T00:00:00Z', 'key.create'],
    ['2020-05-02T00:00:00Z', 'key.revoke'],
    ['2020-05-03T00:00:00Z', 'keyring.turn'],
  ] as const)
    await addRow({ at, action, account: dora.account_id });
  const old = 'to=2020-12-31T00:00:00Z';

  expect(await actionsOf(`?action=key.&${old}`, dora)).toEqual(['key.revoke', 'key.create']);
  expect(await actionsOf('?action=key.create', dora)).toEqual(['key.create']);
  expect(await actionsOf('?action=ey', dora)).toEqual([]);
  expect(await actionsOf('?outcome=refused', dora)).toEqual([]);
  expect(await actionsOf('?from=2020-05-02T00:00:00Z&to=2020-05-03T00:00:00Z', dora)).toEqual([
    'key.revoke',
  ]);
  expect(
    await actionsOf('?from=2020-05-02T02:00:00%2B02:00&to=2020-05-03T00:00:00Z', dora),
  ).toEqual(['key.revoke']);
});

test.each([
  'action=',
  'action=%25',
  'action=KEY',
  'outcome=maybe',
  'from=yesterday',
  'from=2020-05-01',
  'from=0000-01-01T00:00:00Z',
  'to=9999-12-31T23:59:59-23:59',
  'to=2020-13-01T00:00:00Z',
  'to=9999-99-99T00:00:00Z',
  'outcome=done&outcome=refused',
  'limit=0',
  'limit=201',
  'cursor=1',
  `cursor=${randomUUID()}`,
])('%s is rejected with 400 (rel:B2-10)', async (query) => {
  expect((await read(`?${query}`)).status).toBe(400);
});

test('a cursor of another account’s trail gets the same response as an unknown one', async () => {
  const { body } = await read('?limit=1', eve);
  const foreign = await read(`?cursor=${body.data[0]!.id}`);

  expect(foreign.body).toEqual((await read(`?cursor=${randomUUID()}`)).body);
  expect([foreign.status, foreign.body.errors![0]!.code]).toEqual([400, 'invalid_cursor']);
});

test('not even the table’s owner can change or delete rows, even in replica mode', async () => {
  const owner = await world.query<{ is: boolean }>(
    `SELECT pg_has_role(tableowner::name, 'USAGE') AS is FROM pg_tables
     WHERE tablename = 'audit_event'`,
  );
  expect(owner).toEqual([{ is: true }]);
  const count = async () => (await world.query('SELECT count(*) FROM audit_event'))[0];
  const before = await count();
  for (const statement of [
    `UPDATE audit_event SET outcome = 'refused'`,
    'DELETE FROM audit_event',
    'TRUNCATE audit_event',
    `MERGE INTO audit_event USING (SELECT 1) AS one ON true WHEN MATCHED THEN DELETE`,
    `INSERT INTO audit_event (id, actor_kind, action) SELECT id, 'user', 'x' FROM audit_event
     ON CONFLICT (id) DO UPDATE SET action = 'x'`,
  ])
    for (const role of ['origin', 'replica', 'local'])
      await expect(
        world.query(`SET session_replication_role = ${role}; ${statement}`),
        `${statement} as ${role}`,
      ).rejects.toThrow('append-only');
  expect(await count()).toEqual(before);
});

import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { sweepRequests } from '../../../src/idempotency/store.ts';
import { createDatabase } from '../../../src/platform/postgres/database.ts';
import { askAs } from '../../support/people/organizations.ts';
import { ownAddresses, signUp } from '../../support/people/people.ts';
import { encodings, readTables } from '../../support/worlds/stored-texts.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway(ownAddresses);
const ada = await signUp(world, gateway);

interface Created {
  id: string;
  secret?: string;
}

/** Creates an API key, or repeats that. */
const create = (key: string) =>
  askAs<Created>(ada, {
    path: '/api/keys',
    body: { name: `key ${key}`, mcp_capabilities: [] },
    headers: { 'idempotency-key': key },
  });

/** Makes a request look older, as the database sees it. */
const age = (created: Created, interval: string) =>
  world.query(
    `UPDATE idempotent_request SET created_at = created_at - $2::interval,
       committed_at = committed_at - $2::interval
     WHERE content::json -> 'body' ->> 'id' = $1`,
    [created.id, interval],
  );

async function sweep(): Promise<void> {
  const url = world.env['DATABASE_URL']!;
  const database = await createDatabase({ url, onIdleError: () => {} });
  await sweepRequests(database.pool);
  await database.close();
}

test('a kept secret is not readable in the database', async () => {
  const key = randomUUID();
  const created = await create(key);

  const table = (await readTables(world)).get('table idempotent_request')!;

  expect(table).toContain(created.body.id);
  for (const text of encodings(created.body.secret!)) expect(table).not.toContain(text);
});

test('a secret is returned again for an hour; afterwards the response comes without it', async () => {
  const key = randomUUID();
  const created = await create(key);
  await age(created.body, '59 minutes');
  expect((await create(key)).body.secret).toBe(created.body.secret);
  await age(created.body, '2 minutes');

  const late = await create(key);

  const { secret: _secret, ...rest } = created.body;
  expect([late.status, late.body]).toEqual([201, rest]);
});

test('a secret is deleted after an hour, and the request after a day', async () => {
  const created = await create(randomUUID());
  const young = await create(randomUUID());
  const read = () =>
    world.query<{ id: string; sealed: Buffer | null }>(
      `SELECT content::json -> 'body' ->> 'id' AS id, sealed FROM idempotent_request`,
    );
  const sealedOf = async ({ id }: Created) => (await read()).find((row) => row.id === id)?.sealed;
  await age(created.body, '61 minutes');

  await sweep();

  expect(await sealedOf(created.body)).toBeNull();
  expect(await sealedOf(young.body)).toBeInstanceOf(Buffer);
  await age(created.body, '23 hours');
  await sweep();
  expect(await sealedOf(created.body)).toBeUndefined();
  expect(await sealedOf(young.body)).toBeInstanceOf(Buffer);
});

test('after 24 hours the same key creates again', async () => {
  const key = randomUUID();
  const first = await create(key);
  await age(first.body, '24 hours 1 minute');
  await askAs(ada, { method: 'DELETE', path: `/api/keys/${first.body.id}` });

  const next = await create(key);

  expect(next.status).toBe(201);
  expect(next.body.id).not.toBe(first.body.id);
});

// Requests that the account sent earlier today, oldest first.
const keepEarlier = (requests: number, bytes: number) =>
  world.query(
    `INSERT INTO idempotent_request
       (id, account_id, credential, body_hash, claim, claimed_until, created_at, committed_at, content)
     SELECT 'earlier ' || n, $1, 'session', '', gen_random_uuid(), now(), now() - interval '1 hour' * (1 + 1.0 / n),
       now(), repeat('x', $3)
     FROM generate_series(1, $2::int) AS n`,
    [ada.account_id, requests, bytes],
  );

test.each([
  ['1 000 requests', 1_000, 10],
  ['50 MB of responses', 50, 1_000_000],
])('once %s are kept, a new request with the header is refused, others go on', async (...given) => {
  const known = randomUUID();
  const created = await create(known);
  await keepEarlier(given[1], given[2]);
  onTestFinished(
    async () =>
      void (await world.query(`DELETE FROM idempotent_request WHERE id LIKE 'earlier %'`)),
  );

  const refused = await create(randomUUID());

  expect([refused.status, refused.body]).toMatchObject([
    429,
    { errors: [{ code: 'rate_limited', message: expect.stringMatching(/Send this one without/) }] },
  ]);
  // The oldest was sent two hours ago.
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(21 * 3_600);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(22 * 3_600);
  expect((await create(known)).body).toEqual(created.body);
  const unkept = { path: '/api/keys', body: { name: randomUUID(), mcp_capabilities: [] } };
  expect((await askAs(ada, unkept)).status).toBe(201);
});

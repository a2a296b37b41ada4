import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createLinks } from '../../support/histories/nemesis.ts';
import { askAs, at, outcomeOf } from '../../support/people/organizations.ts';
import type { Errors } from '../../support/people/organizations.ts';
import { oneAddress, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';

let world: World;
let faults: Awaited<ReturnType<typeof createLinks>>;
/** The gateway that stops, and another one. */
let stoppable: Gateway;
let live: Gateway;
let ada: SignedUp;
beforeAll(async () => {
  world = await createWorld(oneAddress);
  live = await world.gateway();
  faults = await createLinks(world.env);
  stoppable = await world.gateway({ env: faults.env });
  ada = await signUp(world, live);
  // The enterprise plan lets one person own many organizations.
  await live.service.setAccountPlan(ada.account_id, 'enterprise');
});
afterEach(async () => {
  for (const proxy of Object.values(faults.links)) {
    proxy.watch(() => {});
    proxy.pass();
  }
  const health = async () => (await fetch(`${stoppable.url}/health`)).status;
  await expect.poll(health, { timeout: 20_000 }).toBe(200);
});
afterAll(async () => {
  await world?.close();
  await faults?.close();
});

interface Created {
  id: string;
  name: string;
  secret?: string;
}

const create = (gateway: Gateway, key: string, path = '/api/keys') =>
  at(ada, gateway).person.ask<Created & Errors>({
    path,
    body: { name: key, ...(path === '/api/keys' ? { mcp_capabilities: [] } : {}) },
    headers: { ...ada.bearer, 'idempotency-key': key },
  });

/** Returns what was created under this name. */
async function created(name: string, path = '/api/keys'): Promise<Created[]> {
  const { body } = await askAs<{ data: Created[] }>(at(ada, live), { path: `${path}?limit=200` });
  return body.data.filter((one) => one.name === name);
}

/** Stops the gateway before it sends this to PostgreSQL, as if its process were killed. */
function stopBefore(statement: string): void {
  const { postgres } = faults.links;
  let isOver = false;
  postgres.watch((chunk) => {
    if (isOver || !chunk.includes(statement)) return;
    isOver = true;
    for (const proxy of Object.values(faults.links)) proxy.down();
  });
}

/** Lets the claims of stopped gateways end now, instead of some seconds later. */
const endClaims = () =>
  world.query(`UPDATE idempotent_request SET claimed_until = now() WHERE committed_at IS NULL`);

const ORGANIZATIONS = '/api/organizations';
const ANSWER = 'SET answered = true';

test('a creation whose gateway stops after the commit is answered from what it saved, with its secret', async () => {
  const key = randomUUID();
  stopBefore(ANSWER);
  await create(stoppable, key);

  const again = await create(live, key);

  expect(again.status).toBe(201);
  const [only, ...more] = await created(key);
  expect([only!.id, more]).toEqual([again.body.id, []]);
  expect(await worksAt(live, again.body.secret!)).toBe(true);
  expect((await create(live, key)).body).toEqual(again.body);
});

/** Returns whether a secret authenticates. */
async function worksAt({ url }: Gateway, secret: string): Promise<boolean> {
  const response = await fetch(`${url}/api/organizations`, { headers: { 'x-api-key': secret } });
  return response.status === 200;
}

test('a creation whose gateway stops before the commit blocks its key only while it may be running', async () => {
  const key = randomUUID();
  stopBefore('COMMIT\0');
  await create(stoppable, key);
  expect(await created(key)).toEqual([]);

  expect(outcomeOf(await create(live, key))).toEqual([409, 'idempotency_running']);
  const [claim] = await world.query<{ seconds: number }>(
    `SELECT extract(epoch FROM max(claimed_until) - now())::float8 AS seconds
     FROM idempotent_request WHERE committed_at IS NULL`,
  );
  expect(claim!.seconds).toBeLessThan(15);
  await endClaims();
  const again = await create(live, key);

  expect(again.status).toBe(201);
  expect((await created(key)).map(({ id }) => id)).toEqual([again.body.id]);
});

test('a creation whose COMMIT gets no response is repeated, not doubled', async () => {
  const key = randomUUID();
  faults.links.postgres.loseReply('COMMIT\0', 'cut');
  // The first COMMIT may be that of something else.
  const first = await create(stoppable, key);

  const again = await create(live, key);

  expect([201, 503]).toContain(first.status);
  expect(again.status).toBe(201);
  expect((await created(key)).map(({ id }) => id)).toEqual([again.body.id]);
});

test('a slow gateway whose claim was taken over commits nothing', async () => {
  const key = randomUUID();
  const blocker = new pg.Client({ connectionString: world.env['DATABASE_URL']! });
  await blocker.connect();
  onTestFinished(() => blocker.end());
  await blocker.query('BEGIN');
  await blocker.query(`SELECT FROM authz_scope WHERE kind = 'account' AND id = $1 FOR UPDATE`, [
    ada.account_id,
  ]);
  // Two of the same name are allowed, and neither invalidates the other's authorization.
  const slow = create(stoppable, key, ORGANIZATIONS);
  const isClaimed = async () =>
    (await world.query('SELECT FROM idempotent_request WHERE committed_at IS NULL')).length;
  await expect.poll(isClaimed).toBe(1);
  await endClaims();
  const [before] = await claims();

  const next = create(live, key, ORGANIZATIONS);
  const isTakenOver = async () => (await claims())[0] !== before;
  await expect.poll(isTakenOver).toBe(true);
  await blocker.query('COMMIT');

  const answers = [await slow, await next];
  expect(answers.map(outcomeOf)).toEqual([[409, 'idempotency_running'], [201]]);
  const ids = (await created(key, ORGANIZATIONS)).map(({ id }) => id);
  expect(ids).toEqual([answers[1]!.body.id]);
});

/** Returns the claims of requests that run. */
const claims = async () =>
  (
    await world.query<{ claim: string }>(
      'SELECT claim FROM idempotent_request WHERE committed_at IS NULL',
    )
  ).map(({ claim }) => claim);

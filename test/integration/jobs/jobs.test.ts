import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Principal } from '../../../src/caller/principal.ts';
import { createJobs } from '../../../src/jobs/jobs.ts';
import { unavailable } from '../../../src/platform/errors/refusal.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { createDatabase } from '../../../src/platform/postgres/database.ts';
import { createKey, oneAddress, signUp, sortedStatuses } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { importPath } from '../space-file/space-world.ts';
import { clientOf, createJobClient, promptsFile, promptsOf, slowItems } from './job-client.ts';

const NEVER = randomUUID();

const { world, gateway } = await useGateway(oneAddress);
const other = await world.gateway();
await slowItems(world, 20);

/** Signs up a person who may have many items. */
async function newPerson(name = 'ada'): Promise<SignedUp> {
  const person = await signUp(world, gateway, name);
  await gateway.service.setAccountPlan(person.account_id, 'enterprise');
  return person;
}

test('an import with Prefer: respond-async is answered 202, and its job succeeds with the response', async () => {
  const ada = await newPerson();
  const client = clientOf(gateway, ada);

  const { status, headers, body } = await client.begin(promptsFile(5));

  expect(status).toBe(202);
  expect(headers.get('location')).toBe(`/api/jobs/${body.id}`);
  expect(headers.get('preference-applied')).toBe('respond-async');
  expect(body).toMatchObject({ operation_id: 'importSpace', state: 'running', result: null });
  const job = await client.ended(body.id);
  expect(job).toMatchObject({ state: 'succeeded', done: 10, total: 10, saved: 1, status: 200 });
  expect(job.result).toMatchObject({ created: { prompts: 5 } });
  expect(await promptsOf(client)).toHaveLength(5);
  const { data } = await client.list();
  expect(data).toEqual([{ ...job, result: null }]);
});

test.each([
  ['wait=5', 200],
  ['respond-sync', 200],
  ['x="a, respond-async"', 200],
  ['respond-async2, ;, =', 200],
  ['wait=5, Respond-Async', 202],
  ['respond-async; wait=10', 202],
])('Prefer: %s is answered %i: an unknown preference is ignored', async (prefer, status) => {
  const client = clientOf(gateway, await newPerson());

  const answer = await client.ask(importPath, { body: promptsFile(1), headers: { prefer } });

  expect(answer.status).toBe(status);
});

test('a route without jobs ignores Prefer', async () => {
  const client = clientOf(gateway, await newPerson());
  const headers = { prefer: 'respond-async' };

  const answer = await client.ask('/api/me/prompts', { headers });

  expect([answer.status, answer.headers.get('preference-applied')]).toEqual([200, null]);
});

test('what is wrong with the request itself is answered at once, and starts no job', async () => {
  const ada = await newPerson();
  const client = clientOf(gateway, ada);
  const grants = [{ scope: { type: 'personal' }, permissions: ['can_view_tools'] }];
  const { secret } = await createKey(ada, { grants });
  const key = createJobClient(gateway, { 'x-api-key': secret });
  const statuses = [
    (await client.begin({ format: 'another' })).status,
    (await client.begin(promptsFile(1), `${importPath}?on_conflict=never`)).status,
    (await key.begin(promptsFile(1))).status,
    (await createJobClient(gateway, {}).begin(promptsFile(1))).status,
    (await key.begin({ document: {} }, '/api/me/custom-tools/import')).status,
  ];

  expect(statuses).toEqual([400, 400, 403, 401, 403]);
  expect((await client.list()).data).toEqual([]);
});

test('a job whose work is refused fails with the status and errors of the request', async () => {
  const client = clientOf(gateway, await newPerson());
  await client.ended((await client.begin(promptsFile(2))).body.id);

  const { body } = await client.begin(promptsFile(3));
  const job = await client.ended(body.id);

  expect(job).toMatchObject({ state: 'failed', status: 409, result: null, saved: 0 });
  expect(job.errors!.map(({ code }) => code)).toEqual(['name_taken', 'name_taken']);
});

test('a job is watched and cancelled on another gateway, and nothing of it is saved', async () => {
  const ada = await newPerson();
  const [here, there] = [clientOf(gateway, ada), clientOf(other, ada)];
  const { id } = (await here.begin(promptsFile(150))).body;
  const stream = await there.watch(id);
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(stream.response.headers.get('cache-control')).toBe('no-store');
  await there.underWay(id, 180);

  const cancelled = await there.cancel(id);

  expect(cancelled).toMatchObject({ status: 200, body: { id, state: 'cancelled', errors: null } });
  const events = await stream.all();
  expect(events.length).toBeGreaterThan(2);
  expect(events.slice(0, -1).every(({ event }) => event === 'progress')).toBe(true);
  expect(events.at(-1)).toEqual({ event: 'end', data: cancelled.body });
  expect(await here.cancel(id)).toMatchObject({ status: 200, body: cancelled.body });
  expect(await promptsOf(here)).toEqual([]);
  // The work has stopped and rolled back: its lock is free.
  expect((await here.begin(promptsFile(1))).status).toBe(202);
});

test('a request whose account is deleted while its job is stored gets the 401 of an ended session', async () => {
  const ada = await newPerson();
  const client = clientOf(gateway, ada);
  // Its foreign key fails like that of an account that was deleted after the request was authorized.
  await world.query(`
    CREATE FUNCTION delete_account() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN NEW.account_id := gen_random_uuid(); RETURN NEW; END'`);
  await world.query(`CREATE TRIGGER delete_account BEFORE INSERT ON job
    FOR EACH ROW WHEN (NEW.account_id = '${ada.account_id}') EXECUTE FUNCTION delete_account()`);

  const { status, body } = await client.begin(promptsFile(1));

  expect([status, body.errors[0]!.code]).toEqual([401, 'invalid_credential']);
  expect((await client.list()).data).toEqual([]);
});

test('a job whose request was answered 503 before it was stored is not stored, and does nothing', async () => {
  const ada = await newPerson();
  const log = createLog('silent');
  const database = await createDatabase({
    url: world.env['DATABASE_URL']!,
    onIdleError: () => {},
  });
  onTestFinished(database.close);
  const jobs = createJobs({ database, log });
  const session = { kind: 'session', id: randomUUID() };
  const quota_owner = { kind: 'account', id: ada.account_id };
  const caller = { credential: session, person: ada.account_id, quota_owner } as Principal;
  const work = vi.fn();
  const beforeCommit = () => {
    throw unavailable('request timed out');
  };
  const named = { operation_id: 'importSpace', params: {}, organization_id: null };
  const request = { ...named, caller, beforeCommit };

  await expect(jobs.begin(request, work, vi.fn())).rejects.toThrow('Temporarily unavailable');

  expect(work).not.toHaveBeenCalled();
  expect((await clientOf(gateway, ada).list()).data).toEqual([]);
});

test('a job that has ended stays as it is when it is cancelled', async () => {
  const client = clientOf(gateway, await newPerson());
  const { id } = (await client.begin(promptsFile(1))).body;
  const ended = await client.ended(id);

  expect((await client.cancel(id)).body).toEqual(ended);
  const events = await (await client.watch(id)).all();
  expect(events).toEqual([{ event: 'end', data: ended }]);
});

test('a job of someone else is not found, and neither is that of another credential for a key', async () => {
  const ada = await newPerson();
  const client = clientOf(gateway, ada);
  const grants = [{ scope: { type: 'personal' }, permissions: ['can_create_tools'] }];
  const keys = [await createKey(ada, { grants }), await createKey(ada, { grants })];
  const [key, sibling] = keys.map(({ secret }) =>
    createJobClient(gateway, { 'x-api-key': secret }),
  );
  const eve = clientOf(gateway, await newPerson('eve'));
  const own = (await client.begin(promptsFile(1))).body.id;
  const ofKey = (await key!.begin({ document: {} }, '/api/me/custom-tools/import')).body.id;
  await client.ended(own);

  for (const [who, id] of [
    [eve, own],
    [key, own],
    [sibling, ofKey],
    [client, NEVER],
  ] as const)
    for (const path of [`/api/jobs/${id}`, `/api/jobs/${id}/events`])
      expect((await who!.ask(path)).status).toBe(404);
  expect((await eve.cancel(own)).status).toBe(404);
  expect((await sibling!.cancel(ofKey)).status).toBe(404);
  expect((await sibling!.list()).data).toEqual([]);
  expect((await key!.list()).data.map(({ id }) => id)).toEqual([ofKey]);
  expect((await client.list()).data.map(({ id }) => id)).toEqual([ofKey, own]);
});

test('at most three jobs of a caller run at a time, over all gateways', async () => {
  const ada = await newPerson();
  const [here, there] = [clientOf(gateway, ada), clientOf(other, ada)];
  const begun = await Promise.all(
    [here, there, here, there, here].map((client, index) =>
      client.begin(promptsFile(30, `n${index}-`)),
    ),
  );

  expect(sortedStatuses(begun)).toEqual([202, 202, 202, 429, 429]);
  const refused = begun.find(({ status }) => status === 429)!;
  expect(refused.body.errors[0]!.code).toBe('rate_limited');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  for (const { status, body } of begun) if (status === 202) await here.ended(body.id);
  expect((await here.begin(promptsFile(1, 'last'))).status).toBe(202);
});

test('jobs are listed in pages, newest first', async () => {
  const client = clientOf(gateway, await newPerson());
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c']) {
    const { id } = (await client.begin(promptsFile(1, name))).body;
    await client.ended(id);
    ids.unshift(id);
  }

  const first = await client.list('?limit=2');
  const next = await client.list(`?limit=2&cursor=${first.next_cursor!}`);

  expect([...first.data, ...next.data].map(({ id }) => id)).toEqual(ids);
  expect(next.next_cursor).toBeNull();
});

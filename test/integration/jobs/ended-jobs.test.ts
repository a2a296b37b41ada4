import fc from 'fast-check';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLinks } from '../../support/histories/nemesis.ts';
import { createKey, oneAddress, signInAs, signUp } from '../../support/people/people.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';
import { checkProperty, scaledTimeout } from '../properties/trials.ts';
import { startProcess } from '../processes/gateway-process.ts';
import {
  clientOf,
  createJobClient,
  namesOf,
  promptsFile,
  promptsOf,
  slowItems,
} from './job-client.ts';
import type { Job, JobClient } from './job-client.ts';

const TOOLS_IMPORT = '/api/me/custom-tools/import';
const SILENT = '16 seconds';
/** So many tools that their import is not over before a test has done something about it. */
const MANY = 150;

let world: World;
let gateway: Gateway;
let other: Gateway;
let stoppable: Gateway;
let faults: Awaited<ReturnType<typeof createLinks>>;
beforeAll(async () => {
  world = await createWorld(oneAddress);
  gateway = await world.gateway();
  other = await world.gateway();
  faults = await createLinks(world.env);
  stoppable = await world.gateway({ env: faults.env });
  await slowItems(world, 20);
});
afterAll(async () => {
  await world?.close();
  await faults?.close();
});

async function newPerson() {
  const person = await signUp(world, gateway);
  await gateway.service.setAccountPlan(person.account_id, 'enterprise');
  return person;
}

/** An OpenAPI document with some operations. */
const documentOf = (operations: number) => ({
  document: {
    ...{ openapi: '3.1.0', servers: [{ url: 'https://pets.example.com' }] },
    paths: Object.fromEntries(
      Array.from({ length: operations }, (_, index) => [`/o${index}`, { get: {} }]),
    ),
  },
});

async function toolsOf(client: JobClient): Promise<number> {
  const { body } = await client.ask<{ data: object[] }>('/api/me/custom-tools?limit=200');
  return body.data.length;
}

/** Lets silent gateways be taken for dead now, instead of some seconds later. */
const endSilence = () =>
  world.query(`UPDATE job SET heartbeat_at = heartbeat_at - $1::interval WHERE state = 'running'`, [
    SILENT,
  ]);

test('cancelling an import of tools keeps those it counts as saved, and saves no more', async () => {
  const ada = await newPerson();
  const client = clientOf(gateway, ada);
  const { id } = (await client.begin(documentOf(MANY), TOOLS_IMPORT)).body;
  await client.saving(id, 1);

  const { body } = await clientOf(other, ada).cancel(id);

  expect(body).toMatchObject({ state: 'cancelled', result: null, status: null, errors: null });
  expect(body.saved).toBeLessThan(MANY);
  expect(await toolsOf(client)).toBe(body.saved);
  await setTimeout(1_000);
  expect([await toolsOf(client), (await client.jobAt(id)).saved]).toEqual([body.saved, body.saved]);
});

test('a job whose gateway is killed fails as interrupted, and says what was saved', async () => {
  const ada = await newPerson();
  const [whole, step] = await Promise.all([startProcess(world.env), startProcess(world.env)]);
  const live = clientOf(gateway, ada);
  const file = (await createJobClient(whole, ada.bearer).begin(promptsFile(100))).body;
  await live.underWay(file.id, 110);
  whole.child.kill('SIGKILL');
  await whole.ended;
  const tools = (await createJobClient(step, ada.bearer).begin(documentOf(MANY), TOOLS_IMPORT))
    .body;
  await live.saving(tools.id, 1);
  step.child.kill('SIGKILL');
  await step.ended;
  expect((await live.jobAt(tools.id)).state).toBe('running');

  await endSilence();

  const [ofFile, ofTools] = [await live.ended(file.id), await live.ended(tools.id)];
  expect(ofFile).toMatchObject({ state: 'failed', status: 503, saved: 0, result: null });
  expect(ofFile.errors).toMatchObject([{ code: 'interrupted' }]);
  expect(ofFile.errors![0]!.message).toContain('Nothing was saved');
  expect(await promptsOf(live)).toEqual([]);
  expect(ofTools.errors).toMatchObject([{ code: 'interrupted' }]);
  expect(ofTools.saved).toBeGreaterThan(0);
  expect(ofTools.saved).toBeLessThan(MANY);
  expect(ofTools.errors![0]!.message).toContain(`${ofTools.saved} of its changes were saved`);
  expect(await toolsOf(live)).toBe(ofTools.saved);
  // Nothing is locked any more.
  expect((await live.ended((await live.begin(promptsFile(1))).body.id)).state).toBe('succeeded');
}, 60_000);

test('a gateway that was only silent commits nothing after its job was failed', async () => {
  const client = clientOf(gateway, await newPerson());
  const { id } = (await client.begin(promptsFile(60))).body;
  await client.underWay(id, 70);
  await world.query(`UPDATE job SET heartbeat_at = now() - $1::interval WHERE id = $2`, [
    SILENT,
    id,
  ]);

  const failed = await client.jobAt(id);
  await setTimeout(2_000);

  // The next heartbeat may have been faster.
  if (failed.state === 'running') expect((await client.ended(id)).state).toBe('succeeded');
  else {
    expect(failed.errors).toMatchObject([{ code: 'interrupted' }]);
    expect(await client.jobAt(id)).toEqual(failed);
    expect(await promptsOf(client)).toEqual([]);
  }
});

test('a job whose session ends saves nothing, and fails with the error of the credential', async () => {
  const ada = await newPerson();
  const client = clientOf(gateway, ada);
  const session = clientOf(gateway, await signInAs(ada));
  const { id } = (await session.begin(promptsFile(60))).body;
  await client.underWay(id, 70);

  await clientOf(other, ada).ask('/api/auth/sessions', { method: 'DELETE' });
  const job = await clientOf(gateway, await signInAs(ada)).ended(id);

  expect(job).toMatchObject({ state: 'failed', status: 401, saved: 0 });
  expect(job.errors).toMatchObject([{ code: 'invalid_credential' }]);
});

test.each([
  ['is revoked', 'succeeded', 200],
  ['expires', 'failed', 401],
])('a job whose key %s saves nothing more', async (how, state, status) => {
  const ada = await newPerson();
  const client = clientOf(gateway, ada);
  const grants = [{ scope: { type: 'personal' }, permissions: ['can_create_tools'] }];
  const { id: key_id, secret } = await createKey(ada, { grants });
  const key = createJobClient(gateway, { 'x-api-key': secret });
  const { id } = (await key.begin(documentOf(MANY), TOOLS_IMPORT)).body;
  await client.saving(id, 1);

  if (how === 'is revoked') await client.ask(`/api/keys/${key_id}`, { method: 'DELETE' });
  else
    await world.query(`UPDATE api_key SET expires_at = now() - interval '1 s' WHERE id = $1`, [
      key_id,
    ]);
  const saved = await toolsOf(client);
  const job = await client.ended(id);

  expect([job.state, job.status]).toEqual([state, status]);
  // One may have been about to commit.
  expect(job.saved).toBeLessThanOrEqual(saved + 1);
  expect(job.saved).toBeLessThan(MANY);
  expect(await toolsOf(client)).toBe(job.saved);
});

test('jobs of a deleted account are deleted, and what they do is rolled back', async () => {
  const ada = await newPerson();
  const client = clientOf(gateway, ada);
  const { id } = (await client.begin(promptsFile(100))).body;
  await client.underWay(id, 110);

  await world.query('DELETE FROM job WHERE account_id = $1', [ada.account_id]);
  await setTimeout(1_500);

  expect((await client.ask(`/api/jobs/${id}`)).status).toBe(404);
  expect(await promptsOf(client)).toEqual([]);
});

test('a stopping gateway interrupts a long job after some seconds', async () => {
  const stopping = await world.gateway();
  const ada = await newPerson();
  const client = clientOf(gateway, ada);
  const { id } = (await clientOf(stopping, ada).begin(promptsFile(1_000))).body;
  await client.underWay(id, 1_001);

  await stopping.service.close();

  const job = await client.jobAt(id);
  expect(job).toMatchObject({ state: 'failed', saved: 0 });
  expect(job.errors).toMatchObject([{ code: 'interrupted' }]);
  expect(await promptsOf(client)).toEqual([]);
}, 60_000);

test('an import whose gateway stops right after its commit has succeeded, with its result', async () => {
  const ada = await newPerson();
  const client = clientOf(gateway, ada);
  const { postgres } = faults.links;
  let step: 'before' | 'saving' | 'committed' | 'stopped' = 'before';
  postgres.watch((chunk) => {
    if (step === 'before' && chunk.includes('INSERT INTO item')) step = 'saving';
    else if (step === 'saving' && chunk.includes('COMMIT\0')) step = 'committed';
    else if (step === 'committed') {
      step = 'stopped';
      for (const proxy of Object.values(faults.links)) proxy.down();
    }
  });

  const { id } = (await clientOf(stoppable, ada).begin(promptsFile(3))).body;
  await expect.poll(() => step, { timeout: 10_000 }).toBe('stopped');
  await endSilence();
  const job = await client.ended(id);

  postgres.watch(() => {});
  for (const proxy of Object.values(faults.links)) proxy.pass();
  expect(job).toMatchObject({ state: 'succeeded', saved: 1, status: 200, done: 6, total: 6 });
  expect(job.result).toMatchObject({ created: { prompts: 3 } });
  expect(await promptsOf(client)).toHaveLength(3);
  const health = async () => (await fetch(`${stoppable.url}/health`)).status;
  await expect.poll(health, { timeout: 20_000 }).toBe(200);
});

/** Says whether the space is as before or after the import, and as the job says. */
async function outcome(client: JobClient, job: Job, names: string[]): Promise<string> {
  const found = (await promptsOf(client)).toSorted();
  const isWhole = JSON.stringify(found) === JSON.stringify(names.toSorted());
  const isEmpty = found.length === 0;
  const hasSucceeded = job.state === 'succeeded';
  if (hasSucceeded ? isWhole : isEmpty) return 'as the job says';
  return `${job.state} with ${found.length} prompts`;
}

const IMPORTED = 30;

test(
  'whenever a job is cancelled, the space is as before or after the import, as the job says',
  async () => {
    const states = new Set<string>();
    /** Cancels an import after some milliseconds, or when it has ended. */
    async function cancelAfter(ms: number | null, isHere: boolean) {
      const ada = await newPerson();
      const client = clientOf(gateway, ada);
      const { id } = (await client.begin(promptsFile(IMPORTED))).body;
      if (ms === null) await client.ended(id);
      else await setTimeout(ms);
      const { body } = await (isHere ? client : clientOf(other, ada)).cancel(id);

      states.add(body.state);
      expect(await outcome(client, body, namesOf(IMPORTED))).toBe('as the job says');
      expect(await client.jobAt(id)).toEqual(body);
    }
    await cancelAfter(0, true);
    await cancelAfter(null, false);
    await checkProperty(
      8,
      fc.asyncProperty(fc.integer({ min: 0, max: 1_000 }), fc.boolean(), cancelAfter),
    );
    expect([...states].toSorted()).toEqual(['cancelled', 'succeeded']);
  },
  scaledTimeout(60_000),
);

test(
  'whenever a gateway stops, the space is as before or after the import, as the job says',
  async () => {
    const proxies = Object.values(faults.links);
    await checkProperty(
      5,
      fc.asyncProperty(fc.integer({ min: 0, max: 1_000 }), async (ms) => {
        const ada = await newPerson();
        const client = clientOf(gateway, ada);
        const { id } = (await clientOf(stoppable, ada).begin(promptsFile(IMPORTED))).body;
        await setTimeout(ms);
        for (const proxy of proxies) proxy.down();
        await setTimeout(700);
        await endSilence();
        const job = await client.ended(id);

        expect(await outcome(client, job, namesOf(IMPORTED))).toBe('as the job says');
        for (const proxy of proxies) proxy.pass();
        const health = async () => (await fetch(`${stoppable.url}/health`)).status;
        await expect.poll(health, { timeout: 20_000 }).toBe(200);
        expect(await client.jobAt(id)).toEqual(job);
      }),
    );
  },
  scaledTimeout(120_000),
);

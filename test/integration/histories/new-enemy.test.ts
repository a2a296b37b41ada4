import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { hexHashOf } from '../../../src/platform/secrets.ts';
import { createKey, signUp } from '../../support/people/people.ts';
import { askAs, at, createOrganization, createRole } from '../../support/people/organizations.ts';
import { createTeam, seatsOf } from '../../support/people/teams.ts';
import type { Gateway } from '../../support/worlds/world.ts';
import { scaledTimeout } from '../properties/trials.ts';
import { askWith, attempt, createHistoryWorld, sendOnce } from './history-world.ts';
import type { Client } from './history-world.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const histories = await closeAfterTests(createHistoryWorld());
const { world, gateways, joins } = histories;
const owner = await signUp(world, gateways[0], 'owner');
await world.query("UPDATE account SET plan = 'enterprise' WHERE id = $1", [owner.account_id]);

const DOCUMENTS = ['one', 'two'];

/** Creates an organization with a team, of which Bob is a member, and Bob's key. */
async function createTeamOfBob() {
  const { id } = await createOrganization(owner, `Acme ${randomUUID()}`);
  const role = await createRole(owner, id, { name: 'Reading', capabilities: ['prompts'] });
  const bob = await signUp(world, gateways[1], 'bob');
  await joins.add(id, bob, [role.id]);
  const team = seatsOf(id, (await createTeam(owner, id, 'red')).id);
  await team.add(owner, bob);
  const key = await createKey(bob, { org_scope: id, mcp_capabilities: ['prompts'] });
  return { id, role, bob, key, ...team };
}

const documentNamed = (name: string) => ({
  name,
  description: randomUUID(),
  messages: [{ role: 'user', content: 'Secret.' }],
});

/** Returns which documents of the team a key sees; undefined in an outage. */
async function documentsOf(key: { secret: string }, gateway: Gateway) {
  const result = await askWith(key, gateway, 'prompts/list');
  if (result === undefined) return undefined;
  const { prompts = [] } = (result ?? {}) as unknown as { prompts?: { name: string }[] };
  return new Set(prompts.map(({ name }) => name.replace('red/', '')));
}

test('a request that was authenticated before its person was removed sees nothing added later (H5)', async () => {
  const { postgres } = histories;
  const [gateway, otherGateway] = gateways;
  const { bob, key, path, remove } = await createTeamOfBob();
  const elsewhere = at(owner, otherGateway);
  const add = (name: string) =>
    askAs(elsewhere, { path: `${path}/prompts`, body: documentNamed(name) });
  expect(await documentsOf(key, gateway)).toEqual(new Set());
  // Whatever is cached about the content is outdated, but not who may see it.
  await add('earlier');
  let replied = Infinity;
  postgres.watch((chunk) => {
    if (chunk.includes(hexHashOf(key.secret))) replied = postgres.replied();
  });
  postgres.delay(1_500);

  const reading = documentsOf(key, gateway);
  await expect
    .poll(() => postgres.replied() > replied, { timeout: 5_000 })
    .toBe(true)
    .finally(postgres.pass);
  await remove(elsewhere, bob);
  await add('later');

  expect([...(await reading)!]).not.toContain('later');
  expect(await documentsOf(key, gateway)).toEqual(new Set());
});

test(
  'a person who is removed before a document is added never sees it, whatever fails meanwhile (H5)',
  async () => {
    const { record, recordAll } = histories;
    const { id, role, bob, key, path, seat } = await createTeamOfBob();

    const setSeat = (gateway: Gateway, isAdded: boolean) =>
      record(
        {
          what: isAdded ? 'add Bob' : 'remove Bob',
          requires: { bob: !isAdded },
          sets: { bob: isAdded },
        },
        () =>
          attempt(
            owner,
            gateway,
            isAdded
              ? { path: `${path}/members`, body: { account_id: bob.account_id } }
              : { method: 'DELETE', path: seat(bob) },
          ),
      );
    const setCapable = (gateway: Gateway, isCapable: boolean) =>
      record({ what: `Prompts: ${isCapable}`, sets: { capable: isCapable } }, () =>
        attempt(owner, gateway, {
          method: 'PATCH',
          path: `/api/organizations/${id}/roles/${role.id}`,
          body: { capabilities: isCapable ? ['prompts'] : [] },
        }),
      );
    const addDocument = (gateway: Gateway, name: string) =>
      record({ what: `add ${name}`, requires: { [name]: false }, sets: { [name]: true } }, () =>
        attempt(owner, gateway, { path: `${path}/prompts`, body: documentNamed(name) }),
      );
    /** Finds a document and deletes it; one that another client replaced meanwhile is not found. */
    async function deleteDocument(gateway: Gateway, name: string) {
      const listed = await sendOnce<{ data?: { id: string; name: string }[] }>(owner, gateway, {
        path: `${path}/prompts`,
      });
      const found = listed.body.data?.find((one) => one.name === name);
      if (found === undefined) return;
      await record(
        { what: `delete ${name}`, requires: { [name]: true }, sets: { [name]: false } },
        () => attempt(owner, gateway, { method: 'DELETE', path: `${path}/prompts/${found.id}` }),
      );
    }

    const read = (name: string) => ({
      what: `read ${name}`,
      requires: { bob: true, capable: true, [name]: true },
    });
    const list: Client = (gateway) =>
      recordAll(DOCUMENTS.map(read), async () => {
        const seen = await documentsOf(key, gateway);
        return DOCUMENTS.map((name) => seen?.has(name) ?? null);
      });
    const get: Client = (gateway, random) => {
      const name = random.one(DOCUMENTS);
      return record(read(name), async () => {
        const result = await askWith(key, gateway, 'prompts/get', { name: `red/${name}` });
        return result === undefined ? null : result !== null;
      });
    };
    // Bob is there only while the first document is not.
    const keepApart: Client = async (gateway, random) => {
      await setSeat(gateway, false);
      await addDocument(random.one(gateways), 'one');
      await deleteDocument(random.one(gateways), 'one');
      await setSeat(gateway, true);
    };
    const change: Client = async (gateway, random) => {
      const isAdded = random.below(2) === 0;
      await (isAdded ? addDocument(gateway, 'two') : deleteDocument(gateway, 'two'));
    };

    await histories.check({
      initial: {
        bob: true,
        capable: true,
        ...Object.fromEntries(DOCUMENTS.map((one) => [one, false])),
      },
      partitions: () => DOCUMENTS.map((name) => ['bob', 'capable', name]),
      turns: 20,
      changes: [keepApart, change, (gateway, random) => setCapable(gateway, random.below(3) > 0)],
      uses: [...[list, list], ...[get, get]],
    });
  },
  scaledTimeout(60_000),
);

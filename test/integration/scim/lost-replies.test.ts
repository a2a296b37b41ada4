import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDirectory, createDirectoryWorld, oktaUser } from '../../support/people/directory.ts';
import type { DirectoryWorld } from '../../support/people/directory.ts';
import { driftOf } from '../../support/people/organizations.ts';
import { newEmail } from '../../support/people/people.ts';
import { createProxy } from '../../support/servers/proxy.ts';
import type { Proxy } from '../../support/servers/proxy.ts';

let world: DirectoryWorld;
let proxy: Proxy;
let acme: Awaited<ReturnType<DirectoryWorld['provisioned']>>;
/** The directory at a gateway that loses replies of the database; it retries a 503. */
let losing: ReturnType<typeof createDirectory>;
beforeAll(async () => {
  world = await createDirectoryWorld();
  acme = await world.provisioned('example.com');
  proxy = await createProxy(world.world.env['DATABASE_URL']!);
  const gateway = await world.world.gateway({ env: { DATABASE_URL: proxy.url } });
  losing = createDirectory(gateway, acme.base, acme.token);
});
afterAll(async () => {
  await world?.close();
  await proxy?.close();
});

const STATEMENT = 'INSERT INTO scim_group_member';
const createUser = async () =>
  (await acme.ask({ path: '/Users', body: oktaUser(newEmail()) })).body.id;

test('a group whose creation failed before its members were added is found, and completed by a PUT', async () => {
  const members = [{ value: await createUser() }, { value: await createUser() }];
  const body = { displayName: `Engineering ${randomUUID()}`, members };
  const lost = proxy.lost();
  proxy.loseReply(STATEMENT, 'cut');

  const retried = await losing.ask({ path: '/Groups', body });

  expect(proxy.lost()).toBe(lost + 1);
  expect([retried.status, retried.body.scimType]).toEqual([409, 'uniqueness']);
  const found = await acme.find('/Groups', `displayName eq "${body.displayName}"`);
  expect(found.body.totalResults).toBe(1);
  const [group] = found.body.Resources;
  expect(group!.members ?? []).toEqual([]);
  const completed = await losing.put(`/Groups/${group!.id}`, body);
  expect(completed.status).toBe(200);
  const ids = (all: readonly { value: string }[]) => all.map(({ value }) => value).toSorted();
  expect(ids(completed.body.members)).toEqual(ids(members));
});

test('a change of members that failed between two batches is completed by its retry', async () => {
  const users = await Promise.all(Array.from({ length: 22 }, createUser));
  const { body: group } = await acme.ask({
    path: '/Groups',
    body: { displayName: `Platform ${randomUUID()}` },
  });
  const value = users.map((id) => ({ value: id }));
  const lost = proxy.lost();
  let batches = 0;
  proxy.watch((chunk) => {
    if (!chunk.includes(STATEMENT)) return;
    batches += 1;
    if (batches === 2) proxy.loseReply(STATEMENT, 'cut');
  });

  const retried = await losing.patch(`/Groups/${group.id}`, { op: 'add', path: 'members', value });

  expect(proxy.lost()).toBe(lost + 1);
  // The retry adds only the second one.
  expect([retried.status, batches]).toEqual([200, 3]);
  expect(retried.body.members.map((member) => member.value).toSorted()).toEqual(users.toSorted());
  expect(await driftOf(world.gateway)).toEqual([]);
});

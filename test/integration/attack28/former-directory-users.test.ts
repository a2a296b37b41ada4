import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDirectoryWorld, oktaUser } from '../../support/people/directory.ts';
import type { DirectoryWorld } from '../../support/people/directory.ts';
import { askAs } from '../../support/people/organizations.ts';
import { signUp } from '../../support/people/people.ts';

let world: DirectoryWorld;
let acme: Awaited<ReturnType<DirectoryWorld['provisioned']>>;
beforeAll(async () => {
  world = await createDirectoryWorld();
  acme = await world.provisioned('example.com');
});
afterAll(() => world?.close());

test('the export of a former member has no new name of a group of the directory (rel:P1)', async () => {
  const ada = await signUp(world.world, world.gateway, 'ada');
  const { body: user } = await acme.ask({ path: '/Users', body: oktaUser(ada.email) });
  const { body: group } = await acme.ask({
    path: '/Groups',
    body: { displayName: `Engineers ${randomUUID()}`, members: [{ value: user.id }] },
  });
  const membership = `${acme.path}/members/${ada.account_id}`;
  expect((await askAs(acme.owner, { method: 'DELETE', path: membership })).status).toBe(204);

  const renamed = await acme.patch(`/Groups/${group.id}`, {
    ...{ op: 'replace', path: 'displayName', value: 'marker-group' },
  });
  expect(renamed.status).toBeLessThan(300);

  const { body } = await askAs(ada, { path: '/api/user/export' });
  expect(JSON.stringify(body)).not.toContain('marker-group');
});

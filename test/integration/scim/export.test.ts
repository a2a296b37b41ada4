import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDirectoryWorld, oktaUser } from '../../support/people/directory.ts';
import type { DirectoryWorld } from '../../support/people/directory.ts';
import { newEmail, signUp } from '../../support/people/people.ts';

let world: DirectoryWorld;
let acme: Awaited<ReturnType<DirectoryWorld['provisioned']>>;
beforeAll(async () => {
  world = await createDirectoryWorld();
  acme = await world.provisioned('example.com');
});
afterAll(() => world?.close());

test('the export of an account has what directories store about the person, and nothing of others', async () => {
  const ada = await signUp(world.world, world.gateway, 'ada');
  const other = newEmail('other');
  await acme.ask({ path: '/Users', body: oktaUser(other) });
  const created = await acme.ask({ path: '/Users', body: oktaUser(ada.email) });
  expect(created.status).toBe(201);
  const group = { displayName: `Engineers ${randomUUID()}`, members: [{ value: created.body.id }] };
  expect((await acme.ask({ path: '/Groups', body: group })).status).toBe(201);

  const { body } = await ada.person.ask<{ directory_users: object[] }>({
    path: '/api/user/export',
    headers: ada.bearer,
  });

  expect(body.directory_users).toEqual([
    {
      ...{ organization_id: acme.id, user_name: ada.email, external_id: `okta-${ada.email}` },
      ...{ given_name: 'Grace', family_name: 'Hopper', display_name: 'Grace Hopper' },
      ...{ active: true, groups: [group.displayName] },
      ...{ created_at: expect.any(String), updated_at: expect.any(String) },
    },
  ]);
  expect(JSON.stringify(body)).not.toContain(other);
});

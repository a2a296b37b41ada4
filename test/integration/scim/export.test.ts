import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createDirectoryWorld, oktaUser } from '../../support/people/directory.ts';
import { askAs } from '../../support/people/organizations.ts';
import { newEmail, signUp } from '../../support/people/people.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const world = await closeAfterTests(createDirectoryWorld());
const acme = await world.provisioned('example.com');

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

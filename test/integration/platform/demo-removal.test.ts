import { expect, test } from 'vitest';
import {
  askAs,
  createJoins,
  createOrganization,
  MEMBER,
} from '../../support/people/organizations.ts';
import { createPerson, signInAs, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { useWorld } from '../../support/worlds/world.ts';

const { world, gateway } = await useGateway({ DEV_MAIL: 'on' });
const joins = await closeAfterTests(createJoins(gateway));

const removeDemo = ({ cookies }: SignedUp, { url, config } = gateway) =>
  createPerson(url).ask({
    ...{ path: '/dev/demo', method: 'DELETE', isUndeclared: true },
    headers: {
      origin: config.PUBLIC_URL,
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    },
  });

test('a member who removes a demo deletes no organization of someone else (decisions 5: delete is the Owner’s alone)', async () => {
  const olivia = await signUp(world, gateway, 'olivia');
  const { id } = await createOrganization(olivia, 'Acme');
  const ada = await signUp(world, gateway, 'ada', 'ada@acme.example');
  await joins.add(id, ada, [MEMBER]);
  const path = `/api/organizations/${id}`;
  const refused = await askAs(ada, {
    ...{ method: 'DELETE', path },
    body: { confirm: 'Acme', current_password: ada.password },
  });
  expect(refused.status).toBe(403);

  await removeDemo(ada);

  expect((await askAs(olivia, { path })).status).toBe(200);
  await expect(gateway.service.seeding.demo.load()).rejects.toThrow(
    /only where no organization exists/,
  );
}, 120_000);

test('removing a demo that was never loaded deletes no account (decisions 9: deleting needs the person’s password)', async () => {
  const dora = await signUp(world, gateway, 'dora', 'dora@acme.example');
  const ben = await signUp(world, gateway, 'ben', 'ben@acme.example');

  await removeDemo(dora);

  expect((await askAs(ben, { path: '/api/user/profile' })).status).toBe(200);
}, 120_000);

test('an organization of the demo that now belongs to someone else outlives the demo (decisions 5: delete is the Owner’s alone)', async () => {
  const own = await useWorld({ DEV_MAIL: 'on' });
  const there = await own.gateway();
  const { organization_id, passwords } = await there.service.seeding.demo.load();
  const { name: email, secret: password } = passwords[0]!;
  const ada = await signInAs({ person: createPerson(there.url), email, password });
  const path = `/api/organizations/${organization_id}`;
  const olga = await signUp(own, there, 'olga');
  const joined = await createJoins(there);
  await joined.add(organization_id, olga, [MEMBER]);
  await joined.close();
  const transferred = await askAs(ada, {
    path: `${path}/transfer-ownership`,
    body: { account_id: olga.account_id, current_password: password },
  });
  expect(transferred.status).toBe(204);
  expect((await askAs(olga, { path })).status).toBe(200);

  await removeDemo(ada, there);

  expect((await askAs(olga, { path })).status).toBe(200);
}, 400_000);

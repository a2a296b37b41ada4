import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createDirectoryWorld, oktaUser } from '../../support/people/directory.ts';
import { askAs } from '../../support/people/organizations.ts';
import { signUp, tokenOf } from '../../support/people/people.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const world = await closeAfterTests(createDirectoryWorld());
const acme = await world.provisioned('example.com');

const active = { op: 'replace', path: 'active', value: true };

test('a directory does not make a former member, whose address is outside the verified domains by now, a member again, nor learn that address', async () => {
  const lea = await signUp(world.world, world.gateway, 'lea');
  const { body: user } = await acme.ask({ path: '/Users', body: oktaUser(lea.email) });
  expect(user.id).toBe(lea.account_id);
  const membership = `${acme.path}/members/${lea.account_id}`;
  expect((await askAs(lea, { method: 'DELETE', path: membership })).status).toBe(204);
  const email = `lea-${randomUUID().slice(0, 8)}@private.example`;
  await askAs(lea, { path: '/api/user/email', body: { email, current_password: lea.password } });
  const token = tokenOf(await world.world.mailbox.next(email));
  await askAs(lea, { path: '/api/user/email/confirm', body: { token } });

  const { status, text } = await acme.patch(`/Users/${user.id}`, active);

  expect(text).not.toContain(email);
  expect([...(await acme.members()).keys()]).not.toContain(email);
  expect(status).toBe(400);
});

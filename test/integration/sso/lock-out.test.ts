import { expect, test } from 'vitest';
import { ADMIN, askPresent, outcomeOf } from '../../support/people/organizations.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createSsoWorld, newDomain } from '../../support/people/sso.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const sso = await closeAfterTests(createSsoWorld());

test('someone with less than every permission of an Admin does not lock Admins out: they cannot enforce single sign-on, or delete a connection that others use or replace its secret', async () => {
  const acme = await sso.organization();
  const limited = await acme.addConfigurer();
  const own = await acme.connect(limited);
  await acme.test(limited, acme.someone());
  const remove = (who: SignedUp, path: string) => askPresent(who, { method: 'DELETE', path });

  expect(outcomeOf(await acme.enforce(limited))).toEqual([403, 'permission_denied']);
  const first = `${acme.path}/connections/${acme.connection.id}`;
  const replaceSecret = (path: string) =>
    askPresent(limited, { method: 'PATCH', path, body: { oidc: { client_secret: 'wrong' } } });
  expect(outcomeOf(await remove(limited, first))).toEqual([403, 'permission_denied']);
  expect(outcomeOf(await replaceSecret(first))).toEqual([403, 'permission_denied']);
  await own.signIn(acme.someone());
  expect(outcomeOf(await replaceSecret(own.path))).toEqual([403, 'permission_denied']);
  expect(outcomeOf(await remove(limited, own.path))).toEqual([403, 'permission_denied']);

  const unused = await acme.connect(limited);
  expect(outcomeOf(await replaceSecret(unused.path))).toEqual([200]);
  expect(outcomeOf(await remove(limited, unused.path))).toEqual([204]);
  const admin = await sso.join(acme.id, 'admin', [ADMIN]);
  expect(outcomeOf(await remove(admin, own.path))).toEqual([204]);
  await acme.test(admin, acme.someone());
  expect(outcomeOf(await acme.enforce(admin))).toEqual([200]);
  expect(outcomeOf(await acme.enforce(limited, false))).toEqual([200]);
});

test('someone with less than every permission of an Admin does not delete a verified domain while people sign in through a connection, or an Admin configured it', async () => {
  const acme = await sso.organization();
  const limited = await acme.addConfigurer();
  const own = await acme.connect(limited);
  const remove = (who: SignedUp, domain: string) =>
    askPresent(who, { method: 'DELETE', path: `${acme.path}/domains/${domain}` });
  const refused = [403, 'permission_denied'];
  expect(outcomeOf(await remove(limited, acme.domain))).toEqual(refused);

  await sso.require(acme.owner, {
    ...{ method: 'DELETE', path: `${acme.path}/connections/${acme.connection.id}` },
  });
  const spare = newDomain();
  await acme.verify(spare);
  expect(outcomeOf(await remove(limited, spare))).toEqual([204]);
  await own.signIn(acme.someone());
  expect(outcomeOf(await remove(limited, acme.domain))).toEqual(refused);

  const body = { domain: newDomain() };
  await sso.require(limited, { path: `${acme.path}/domains`, body });
  expect(outcomeOf(await remove(limited, body.domain))).toEqual([204]);
  const admin = await sso.join(acme.id, 'admin', [ADMIN]);
  expect(outcomeOf(await remove(admin, acme.domain))).toEqual([204]);
});

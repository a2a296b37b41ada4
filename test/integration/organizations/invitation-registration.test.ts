import { expect, test } from 'vitest';
import { connect, disconnect } from '../../../src/connections.ts';
import { createParts } from '../../../src/parts.ts';
import { accept, invited } from '../../support/people/invitations.ts';
import {
  askAs,
  createOrganization,
  driftOf,
  outcomeOf,
} from '../../support/people/organizations.ts';
import {
  createPerson,
  goodPassword,
  newEmail,
  ownAddresses,
  signUp,
  sortedStatuses,
  tokenOf,
} from '../../support/people/people.ts';
import type { Errors } from '../../support/people/organizations.ts';
import type { Answer } from '../../support/people/people.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway(ownAddresses);

const codeOf = (answer: Answer) => outcomeOf(answer);

/** Creates an organization and invites a new address. */
async function withInvited() {
  const owner = await signUp(world, gateway, 'owner');
  const { id } = await createOrganization(owner);
  const email = newEmail('new');
  const { token, ...invitation } = await invited(world, owner, { id, email });
  const person = createPerson(gateway.url);
  const register = (change: object = {}) =>
    person.register({ email, invitation_token: token, ...change });
  const verify = async () => {
    const body = { token: tokenOf(await world.mailbox.next(email)) };
    return person.ask({ path: '/api/auth/verify-email', body });
  };
  const members = async () => {
    const path = `/api/organizations/${id}/members`;
    const { body } = await askAs<{ data: { email: string }[] }>(owner, { path });
    return body.data.map((one) => one.email);
  };
  return { id, owner, email, token, invitation, person, register, verify, members };
}

test('a person who registers through an invitation joins when the address is verified', async () => {
  const { id, email, person, register, verify, members } = await withInvited();

  expect(await register()).toMatchObject({ status: 201, body: { status: 'verification_sent' } });
  expect(await members()).not.toContain(email);
  expect((await verify()).status).toBe(200);

  expect(await members()).toContain(email);
  const login = await person.ask<{ access_token: string }>({
    path: '/api/auth/login',
    body: { email, password: goodPassword },
  });
  const headers = { authorization: `Bearer ${login.body.access_token}` };
  expect((await person.ask({ path: `/api/organizations/${id}`, headers })).status).toBe(200);
  expect(await driftOf(gateway)).toEqual([]);
});

test('registering with an invitation requires a CAPTCHA, like any other registration', async () => {
  const { register } = await withInvited();

  expect(codeOf(await register({ captcha_token: 'x' }))).toEqual([422, 'captcha_failed']);
});

test('registering with an invitation to another address, or with an unknown or expired one, is refused', async () => {
  const { register, invitation } = await withInvited();
  const email = newEmail();

  const other = await register({ email });
  const unknown = await register({ invitation_token: 'unknown' });
  await world.query('UPDATE organization_invitation SET expires_at = now() WHERE id = $1', [
    invitation.id,
  ]);
  const expired = await register();

  expect([other, unknown, expired].map(codeOf)).toEqual([
    [422, 'invitation_for_another_address'],
    [422, 'token_invalid'],
    [422, 'token_invalid'],
  ]);
  expect(await world.query('SELECT FROM registration WHERE email = $1', [email])).toEqual([]);
});

test('a person who registers without the invitation does not join, and the link still works afterwards', async () => {
  const { email, person, token, register, verify, members } = await withInvited();
  await register({ invitation_token: undefined });
  await verify();
  expect(await members()).not.toContain(email);

  const { body } = await person.ask<{ access_token: string }>({
    path: '/api/auth/login',
    body: { email, password: goodPassword },
  });
  const headers = { authorization: `Bearer ${body.access_token}` };
  const path = `/api/invitations/${token}/accept`;
  expect((await person.ask({ method: 'POST', path, headers })).status).toBe(200);
});

test('an invitation that is revoked before the address is verified has no effect', async () => {
  const { id, owner, email, invitation, register, verify, members } = await withInvited();
  await register();
  const path = `/api/organizations/${id}/invitations/${invitation.id}`;
  await askAs(owner, { method: 'DELETE', path });

  expect((await verify()).status).toBe(200);

  expect(await members()).not.toContain(email);
  expect(
    await world.query(
      'SELECT account_id FROM organization_invitation_registration WHERE account_id IS NOT NULL',
    ),
  ).toEqual([]);
});

test('if a gateway stops after creating the account, another gateway completes the join', async () => {
  const { email, register, verify, members, invitation } = await withInvited();
  await register({ invitation_token: undefined });
  await verify();
  // The state that verification commits before the account joins.
  await world.query(
    `INSERT INTO organization_invitation_registration
     SELECT gen_random_uuid(), $1::uuid, id FROM account WHERE email = $2`,
    [invitation.id, email],
  );
  const connections = await connect(gateway.config);
  const { authz, organizations, workers } = createParts(gateway.config, connections, {});
  await authz.requireStore();

  await Promise.all([
    organizations.invitations.registrations.completeJoins(),
    organizations.invitations.registrations.completeJoins(),
  ]);

  await workers.close();
  await disconnect(connections);
  expect(await members()).toContain(email);
  expect(
    await world.query('SELECT FROM organization_invitation_registration WHERE invitation_id = $1', [
      invitation.id,
    ]),
  ).toEqual([]);
});

test('20 concurrent registrations with one invitation, on two gateways, create exactly one membership (rel:B9-2)', async () => {
  const { id, email, token, invitation, members } = await withInvited();
  const otherGateway = await world.gateway();
  const urls = Array.from(
    { length: 20 },
    (_one, index) => (index % 2 ? gateway : otherGateway).url,
  );

  const registered = await Promise.all(
    urls.map((url) => createPerson(url).register({ email, invitation_token: token })),
  );
  const body = { token: tokenOf(await world.mailbox.next(email)) };
  const verified = await Promise.all(
    urls.map((url) => createPerson(url).ask<Errors>({ path: '/api/auth/verify-email', body })),
  );

  // Beyond ten concurrent password hashes, requests get a 429, or a 503 after two seconds.
  expect(sortedStatuses(registered)[0]).toBe(201);
  for (const { status } of registered) expect([201, 429, 503]).toContain(status);
  expect(verified.map(outcomeOf)).toEqual(urls.map(() => [200]));
  await expect.poll(members).toContain(email);
  expect((await members()).filter((one) => one === email)).toEqual([email]);
  expect(
    await world.query(
      `SELECT i.status, (SELECT count(*) FROM account WHERE email = i.email)::int AS accounts,
         (SELECT count(*) FROM membership WHERE organization_id = $1)::int AS members
       FROM organization_invitation i WHERE i.id = $2`,
      [id, invitation.id],
    ),
  ).toEqual([{ status: 'accepted', accounts: 1, members: 2 }]);
  expect(await driftOf(gateway)).toEqual([]);
});

test('registering with an invitation gets the same response for a known and an unknown address', async () => {
  const ada = await signUp(world, gateway);
  const owner = await signUp(world, gateway, 'owner');
  const { id } = await createOrganization(owner);
  const { token } = await invited(world, owner, { id, email: ada.email });
  const { register } = await withInvited();

  const known = await createPerson(gateway.url).register({
    ...{ email: ada.email, invitation_token: token },
  });
  const unknown = await register();

  expect([known.status, known.body]).toEqual([unknown.status, unknown.body]);
  expect((await world.mailbox.next(ada.email)).subject).toBe('You already have an account');
  expect((await accept(ada, token)).status).toBe(200);
});

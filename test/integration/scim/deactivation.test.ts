import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createDirectory, createDirectoryWorld, oktaUser } from '../../support/people/directory.ts';
import { askAs, at, driftOf } from '../../support/people/organizations.ts';
import {
  createKey,
  createPerson,
  newEmail,
  signUp,
  sortedStatuses,
  tokenOf,
} from '../../support/people/people.ts';
import { initializeBody, send } from '../mcp/legacy/client.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const world = await closeAfterTests(createDirectoryWorld());
/** Has verified the domain of all people in these tests. */
const acme = await world.provisioned('example.com');

const user = (id: string) => `/Users/${id}`;

/** Signs up a person; then the directory of acme creates them. */
async function linked(name: string) {
  const person = await signUp(world.world, world.gateway, name);
  const created = await acme.ask({ path: '/Users', body: oktaUser(person.email) });
  expect(created.status).toBe(201);
  return { ...person, path: user(created.body.id), id: created.body.id };
}

test('a deactivated user loses membership, keys and sessions at once, and gets none of them back by signing in', async () => {
  const eve = await linked('eve');
  const key = await createKey(eve, { org_scope: acme.id, mcp_capabilities: [] });
  const pending = await askAs(acme.owner, {
    path: `${acme.path}/invitations`,
    body: { email: newEmail('guest'), role_ids: ['00000000-0000-8000-8000-000000000003'] },
  });
  expect(pending.status).toBe(201);
  const seen = () => askAs(at(eve, world.otherGateway), { path: acme.path });
  expect((await seen()).status).toBe(200);

  const patched = await acme.patch(eve.path, { op: 'Replace', path: 'active', value: 'False' });

  expect(patched.body).toMatchObject({ active: false, userName: eve.email });
  expect((await seen()).status).toBe(401);
  const endpoint = `${world.otherGateway.url}/mcp`;
  const call = await send(endpoint, key.secret, { body: initializeBody() });
  expect(call.status).toBe(404);
  const back = await eve.person.ask<{ access_token: string }>({
    path: '/api/auth/login',
    body: { email: eve.email, password: eve.password },
  });
  const bearer = { authorization: `Bearer ${back.body.access_token}` };
  expect((await askAs({ ...eve, bearer }, { path: acme.path })).status).toBe(404);
  expect((await acme.members()).has(eve.email)).toBe(false);
  const twice = await acme.patch(eve.path, { op: 'replace', value: { active: false } });
  expect(twice.body).toEqual(patched.body);

  const activated = await acme.patch(eve.path, { op: 'replace', value: { active: true } });
  expect(activated.body.active).toBe(true);
  expect((await askAs({ ...eve, bearer }, { path: acme.path })).status).toBe(200);
  expect((await acme.members()).get(eve.email)).toMatchObject({ roles: [{ name: 'Member' }] });
});

test('an invitation to the address of a user ends with the deactivation', async () => {
  const email = newEmail('invited');
  const invited = await askAs<{ id: string }>(acme.owner, {
    path: `${acme.path}/invitations`,
    body: { email, role_ids: ['00000000-0000-8000-8000-000000000003'] },
  });
  const { body } = await acme.ask({ path: '/Users', body: oktaUser(email) });
  await acme.patch(user(body.id), { op: 'replace', path: 'active', value: false });

  const [row] = await world.world.query(
    'SELECT status FROM organization_invitation WHERE id = $1',
    [invited.body.id],
  );
  expect(row).toEqual({ status: 'revoked' });
});

/** Sets a first password by e-mail, as a person whose organization has let them go. */
async function takeOver(email: string) {
  const person = createPerson(world.gateway.url);
  const captcha_token = await person.captcha();
  await person.ask({ path: '/api/auth/password/reset', body: { email, captcha_token } });
  const token = tokenOf(await world.world.mailbox.next(email));
  const body = { token, password: 'lantern orbit velvet 44' };
  return person.ask({ path: '/api/auth/password/reset/confirm', body });
}

test('a directory changes the account of a user only while the user is active, and never one that its person has taken over', async () => {
  const email = newEmail('leaver');
  const { body: created } = await acme.ask({ path: '/Users', body: oktaUser(email) });
  const path = user(created.id);
  const stolen = newEmail('stolen');
  const change = (fields: object) =>
    acme.patch(path, {
      op: 'replace',
      value: {
        emails: [{ value: stolen, primary: true }],
        name: { givenName: 'Stolen', familyName: 'Name' },
        ...fields,
      },
    });
  const account = async () =>
    (
      await world.world.query('SELECT email, first_name, managed_by FROM account WHERE id = $1', [
        created.id,
      ])
    )[0];

  await change({ active: false });
  expect((await change({})).body).toMatchObject({ active: false, emails: [{ value: email }] });
  expect(await account()).toEqual({ email, first_name: 'Grace', managed_by: acme.id });

  expect((await takeOver(email)).status).toBe(200);
  expect((await change({ active: true })).body).toMatchObject({ active: true });
  await change({ name: { givenName: 'Again' } });
  expect(await account()).toEqual({ email, first_name: 'Grace', managed_by: null });
});

test('a directory does not see the address of a person who has left with an account of their own', async () => {
  const eve = await linked('eve');
  await acme.patch(eve.path, { op: 'replace', path: 'active', value: false });
  const email = newEmail('private');
  await world.world.query('UPDATE account SET email = $1 WHERE id = $2', [email, eve.id]);
  const found = async (filter: string) => (await acme.find('/Users', filter)).body.Resources;

  const { body } = await acme.ask({ path: eve.path });
  expect(body).toMatchObject({ id: eve.id, userName: eve.email, active: false });
  expect(body.emails).toBeUndefined();
  expect(await found(`userName eq "${eve.email}"`)).toEqual([body]);
  for (const path of ['emails', 'emails.value']) {
    expect(await found(`${path} eq "${email}"`)).toEqual([]);
    expect(await found(`${path} pr and userName eq "${eve.email}"`)).toEqual([]);
  }
  const renamed = await acme.patch(eve.path, { op: 'replace', path: 'displayName', value: 'Eve' });
  expect([renamed.status, renamed.body.emails]).toEqual([200, undefined]);

  const activated = await acme.patch(eve.path, { op: 'replace', path: 'active', value: true });
  expect(activated.body).toMatchObject({ active: true, emails: [{ value: email }] });
  expect(await found(`emails.value eq "${email}"`)).toEqual([activated.body]);
});

test('an account that nobody has taken over is managed again when the user is activated', async () => {
  const { body: created } = await acme.ask({ path: '/Users', body: oktaUser(newEmail()) });
  const path = user(created.id);
  await acme.patch(path, { op: 'replace', path: 'active', value: false });
  const email = newEmail('back');

  const { body } = await acme.patch(path, {
    op: 'replace',
    value: { active: true, emails: [{ value: email, primary: true }] },
  });

  expect(body).toMatchObject({ active: true, emails: [{ value: email }] });
});

test('concurrent changes of different attributes are all kept', async () => {
  const other = createDirectory(world.otherGateway, acme.base, acme.token);
  for (let round = 0; round < 5; round += 1) {
    const { body: created } = await acme.ask({ path: '/Users', body: oktaUser(newEmail()) });
    const path = user(created.id);
    const set = { displayName: 'Ada K', externalId: 'x', 'name.givenName': 'A', active: false };
    const answers = await Promise.all(
      Object.entries(set).map(([attribute, value], index) =>
        [acme, other][index % 2]!.patch(path, { op: 'replace', path: attribute, value }),
      ),
    );

    expect(sortedStatuses(answers)).toEqual([200, 200, 200, 200]);
    expect((await acme.ask({ path })).body).toMatchObject({
      ...{ displayName: 'Ada K', externalId: 'x', active: false },
      name: { givenName: 'A', familyName: 'Hopper' },
    });
  }
});

test('the Owner cannot be deactivated or deleted (last_owner)', async () => {
  const created = await acme.ask({ path: '/Users', body: oktaUser(acme.owner.email) });
  expect(created.status).toBe(201);
  const path = user(created.body.id);

  for (const refused of [
    await acme.patch(path, { op: 'replace', path: 'active', value: false }),
    await acme.remove(path),
  ])
    expect([refused.status, refused.body.scimType]).toEqual([400, 'mutability']);

  expect((await askAs(acme.owner, { path: acme.path })).status).toBe(200);
  expect((await acme.ask({ path })).body.active).toBe(true);
});

test('a directory does not change the address or rename the account of the Owner, even of one that the organization created', async () => {
  const globex = await world.provisioned(`${randomUUID()}.example`);
  const email = `grace@${globex.domain}`;
  const { body: created } = await globex.ask({ path: '/Users', body: oktaUser(email) });
  const path = user(created.id);
  const transferred = await askAs(globex.owner, {
    path: `${globex.path}/transfer-ownership`,
    body: { account_id: created.id, current_password: globex.owner.password },
  });
  expect(transferred.status).toBeLessThan(300);
  const other = `mallory@${globex.domain}`;
  for (const refused of [
    await globex.patch(path, { op: 'replace', path: 'emails[type eq "work"].value', value: other }),
    await globex.put(path, oktaUser(other)),
  ])
    expect([refused.status, refused.body.scimType]).toEqual([400, 'mutability']);

  expect((await globex.ask({ path })).body).toEqual(created);
  const renamed = await globex.put(path, oktaUser(email, { name: { givenName: 'Rear Admiral' } }));
  expect([renamed.status, renamed.body.name.givenName]).toEqual([200, 'Rear Admiral']);
  expect((await globex.members()).get(email)?.first_name).toBe('Grace');
});

test('no request that begins after the answer to a deactivation is allowed', async () => {
  for (let round = 0; round < 3; round += 1) {
    const mallory = await linked('mallory');
    const key = await createKey(mallory, {
      mcp_capabilities: [],
      org_scope: acme.id,
      grants: [
        {
          scope: { type: 'org', org_id: acme.id },
          permissions: ['can_view_organization'],
        },
      ],
    });
    const requests: { began: number; status: number }[] = [];
    const stopping = new AbortController();
    const callers = [world.gateway, world.otherGateway].flatMap(({ url }) =>
      [mallory.bearer, { 'x-api-key': key.secret }].map(async (headers) => {
        while (!stopping.signal.aborted) {
          const began = performance.now();
          const { status } = await fetch(`${url}${acme.path}`, { headers });
          requests.push({ began, status });
        }
      }),
    );
    const { active } = (
      await acme.patch(mallory.path, { op: 'replace', path: 'active', value: false })
    ).body;
    const answered = performance.now();
    // Every caller sends at least one request after the answer.
    while (requests.filter(({ began }) => began > answered).length < callers.length * 2)
      await setTimeout(10);
    stopping.abort();
    await Promise.all(callers);

    expect(active).toBe(false);
    const after = requests.filter(({ began }) => began > answered);
    expect(after.length).toBeGreaterThan(0);
    expect(after.filter(({ status }) => status < 400)).toEqual([]);
  }
});

test('an organization’s audit log names the token as the actor, and contains no personal data', async () => {
  const email = newEmail('audited');
  const { body } = await acme.ask({ path: '/Users', body: oktaUser(email) });
  await acme.patch(user(body.id), { op: 'replace', path: 'displayName', value: 'Secret Name' });
  await acme.patch(user(body.id), { op: 'replace', path: 'active', value: false });

  const log = await askAs<{ data: { action: string; target: { id: string }[] }[] }>(acme.owner, {
    path: `${acme.path}/audit?limit=20`,
  });

  const own = log.body.data.filter(({ target }) => target.some(({ id }) => id === body.id));
  expect(own.map(({ action }) => action)).toEqual([
    'member.deactivate',
    'scim_user.update',
    'member.join',
  ]);
  expect(own[0]).toMatchObject({ actor: { kind: 'scim_token', id: acme.token_id } });
  expect(JSON.stringify(own)).not.toMatch(/Secret Name|audited/);
});

test('after all these tests the tuples match the rows', async () => {
  expect(await driftOf(world.gateway)).toEqual([]);
});

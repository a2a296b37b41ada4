import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  createDirectory,
  createDirectoryWorld,
  entraUser,
  oktaUser,
} from '../../support/people/directory.ts';
import { driftOf } from '../../support/people/organizations.ts';
import { newEmail, signUp, sortedStatuses } from '../../support/people/people.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const world = await closeAfterTests(createDirectoryWorld());
/** Has verified the domain of all people in these tests. */
const acme = await world.provisioned('example.com');

const user = (id: string) => `/Users/${id}`;

test('Okta finds nobody, creates a user, and reads the user back: a member with a managed account', async () => {
  const email = newEmail('grace');
  const searched = await acme.find('/Users', `userName eq "${email}"`, '&startIndex=1&count=100');
  expect(searched.body).toMatchObject({ totalResults: 0, Resources: [] });

  const created = await acme.ask({ path: '/Users', body: oktaUser(email.toUpperCase()) });

  expect(created.status).toBe(201);
  expect(created.headers.get('content-type')).toMatch(/^application\/scim\+json/);
  const location = `http://localhost:7070${acme.base}/Users/${created.body.id}`;
  expect(created.headers.get('location')).toBe(location);
  expect(created.body).toEqual({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    id: expect.any(String),
    externalId: `okta-${email.toUpperCase()}`,
    userName: email,
    name: { formatted: 'Grace Hopper', givenName: 'Grace', familyName: 'Hopper' },
    displayName: 'Grace Hopper',
    emails: [{ value: email, type: 'work', primary: true }],
    active: true,
    meta: {
      resourceType: 'User',
      created: expect.any(String),
      lastModified: expect.any(String),
      location,
    },
  });
  expect((await acme.ask({ path: user(created.body.id) })).body).toEqual(created.body);
  const found = await acme.find('/Users', `userName eq "${email}"`);
  expect(found.body.Resources).toEqual([created.body]);
  expect((await acme.members()).get(email)).toMatchObject({
    account_id: created.body.id,
    first_name: 'Grace',
    last_name: 'Hopper',
    roles: [{ name: 'Member' }],
    teams: [],
  });
  const [account] = await world.world.query(
    'SELECT password_hash, managed_by FROM account WHERE id = $1',
    [created.body.id],
  );
  expect(account).toEqual({ password_hash: null, managed_by: acme.id });
});

test('Entra ID creates a user with attributes that are not stored, and changes it in its own forms', async () => {
  const email = newEmail('ada');
  const { body: created } = await acme.ask({ path: '/Users', body: entraUser(email) });
  const path = user(created.id);

  const renamed = await acme.patch(
    path,
    { op: 'Replace', path: 'name.givenName', value: 'Augusta' },
    { op: 'Add', path: 'title', value: 'Countess' },
    { op: 'Replace', path: 'displayName', value: [{ $ref: null, value: 'King, Ada' }] },
    {
      op: 'Add',
      path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department',
      value: 'Notes',
    },
    { op: 'Replace', path: 'emails[type eq "home"].value', value: 'ada@home.example' },
  );
  expect(renamed.status).toBe(200);
  expect(renamed.body).toMatchObject({
    name: { givenName: 'Augusta', familyName: 'Lovelace' },
    displayName: 'King, Ada',
    emails: [{ value: email }],
  });
  const moved = newEmail('augusta');
  const withoutPath = await acme.patch(path, {
    op: 'replace',
    value: { 'name.familyName': 'King', 'emails[type eq "work"].value': moved, externalId: 'x-1' },
  });
  expect(withoutPath.body).toMatchObject({
    name: { formatted: 'Augusta King' },
    emails: [{ value: moved }],
    externalId: 'x-1',
    userName: email,
  });
  expect((await acme.members()).get(moved)).toMatchObject({
    account_id: created.id,
    first_name: 'Augusta',
    last_name: 'King',
  });
  const cleared = await acme.patch(path, { op: 'Remove', path: 'externalId' });
  expect(cleared.body.externalId).toBeUndefined();
});

test('a PUT replaces the user, keeps whether it is active, and a repeated one changes nothing', async () => {
  const email = newEmail();
  const { body: created } = await acme.ask({ path: '/Users', body: oktaUser(email) });
  const path = user(created.id);

  const sent = { userName: email, name: { familyName: 'Hopper' }, emails: [{ value: email }] };
  const replaced = await acme.put(path, sent);
  const again = await acme.put(path, sent);

  expect(replaced.body).toMatchObject({ active: true, name: { formatted: 'Hopper' } });
  expect(replaced.body.externalId).toBeUndefined();
  expect(again.body).toEqual(replaced.body);
  const withoutName = await acme.put(path, { active: true });
  expect([withoutName.status, withoutName.body.scimType]).toEqual([400, 'invalidValue']);
});

test('a verified account in the verified domain is linked with an e-mail, and stays its owner’s', async () => {
  const person = await signUp(world.world, world.gateway, 'linked');

  const created = await acme.ask({ path: '/Users', body: oktaUser(person.email) });

  expect(created.body).toMatchObject({ id: person.account_id, active: true });
  const letter = await world.world.mailbox.next(person.email);
  expect(letter.subject).toBe('You were added to an organization');
  // The directory’s names are the user’s; the account keeps its own.
  expect((await acme.members()).get(person.email)).toMatchObject({ first_name: 'Ada' });
  const moved = newEmail();
  const patched = await acme.patch(user(created.body.id), {
    op: 'replace',
    value: { emails: [{ value: moved, primary: true }], name: { givenName: 'Other' } },
  });
  expect(patched.body).toMatchObject({
    emails: [{ value: person.email }],
    name: { givenName: 'Other' },
  });
  expect((await acme.members()).get(person.email)).toMatchObject({ first_name: 'Ada' });
});

test('a member who joined otherwise is taken over with roles and seats', async () => {
  const person = await world.join(acme.id, 'taken');
  const created = await acme.ask({ path: '/Users', body: oktaUser(person.email) });

  expect([created.status, created.body.id]).toEqual([201, person.account_id]);
  const again = await acme.ask({
    path: '/Users',
    body: oktaUser(newEmail(), { emails: [{ value: person.email, primary: true }] }),
  });
  expect([again.status, again.body.scimType]).toEqual([409, 'uniqueness']);
});

test.each<[string, (email: string) => object]>([
  [
    'an address outside the verified domains',
    () => ({ emails: [{ value: 'x@elsewhere.example' }] }),
  ],
  ['a subdomain of a verified domain', () => ({ emails: [{ value: 'x@sub.example.com' }] })],
  ['a domain that ends like a verified one', () => ({ emails: [{ value: 'x@notexample.com' }] })],
  ['no address', () => ({ userName: 'ada', emails: [] })],
  ['a malformed address', () => ({ emails: [{ value: 'ada@@example.com' }] })],
])('%s is refused, and creates nobody', async (_what, change) => {
  const count = async () =>
    (await world.world.query<{ count: string }>('SELECT count(*) FROM account'))[0]!.count;
  const before = await count();
  const email = newEmail();

  const refused = await acme.ask({ path: '/Users', body: oktaUser(email, change(email)) });

  expect([refused.status, refused.body.scimType]).toEqual([400, 'invalidValue']);
  expect(await count()).toBe(before);
});

test('a user can be created inactive, and a deleted one is gone until it is created again', async () => {
  const email = newEmail();
  const created = await acme.ask({ path: '/Users', body: oktaUser(email, { active: false }) });
  expect([created.status, created.body.active]).toEqual([201, false]);
  expect((await acme.members()).has(email)).toBe(false);
  const path = user(created.body.id);
  expect((await acme.patch(path, { op: 'replace', value: { active: 'true' } })).body.active).toBe(
    true,
  );

  expect((await acme.remove(path)).status).toBe(204);
  expect((await acme.ask({ path })).status).toBe(404);
  expect((await acme.remove(path)).status).toBe(404);
  expect((await acme.members()).has(email)).toBe(false);
  const again = await acme.ask({ path: '/Users', body: oktaUser(email) });
  expect([again.status, again.body.id]).toEqual([201, created.body.id]);
});

test('one of several concurrent creations of a userName succeeds, and the others get 409', async () => {
  for (let round = 0; round < 3; round += 1) {
    const email = newEmail();
    const other = createDirectory(world.otherGateway, acme.base, acme.token);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        (index % 2 === 0 ? acme : other).ask({ path: '/Users', body: oktaUser(email) }),
      ),
    );
    expect(sortedStatuses(answers)).toEqual([201, ...Array<number>(7).fill(409)]);
    const [{ count } = { count: '' }] = await world.world.query<{ count: string }>(
      'SELECT count(*) FROM account WHERE email = $1',
      [email],
    );
    expect(count).toBe('1');
  }
});

test('filters and pages are those of RFC 7644', async () => {
  const globex = await world.provisioned(`${randomUUID()}.example`);
  const names = ['amy', 'ben', 'cat', 'dan'];
  for (const name of names)
    await globex.ask({
      path: '/Users',
      body: oktaUser(`${name}@${globex.domain}`, {
        externalId: `ID-${name}`,
        name: { givenName: name, familyName: 'Smith' },
      }),
    });
  const idOf = async (name: string) =>
    (await globex.find('/Users', `name.givenName eq "${name}"`)).body.Resources[0]!.id;
  await globex.patch(user(await idOf('dan')), { op: 'replace', path: 'active', value: false });
  const namesBy = async (filter: string) => {
    const { status, body } = await globex.find('/Users', filter);
    return status === 200 ? body.Resources.map(({ name }) => name.givenName) : body.scimType;
  };

  expect(await namesBy(`USERNAME EQ "BEN@${globex.domain}"`)).toEqual(['ben']);
  expect(await namesBy('externalId eq "ID-cat"')).toEqual(['cat']);
  expect(await namesBy('externalId eq "id-cat"')).toEqual([]);
  expect(await namesBy(`emails[type eq "work" and value eq "amy@${globex.domain}"]`)).toEqual([
    'amy',
  ]);
  expect(await namesBy(`emails.value sw "cat@"`)).toEqual(['cat']);
  expect(await namesBy('active eq false')).toEqual(['dan']);
  expect(await namesBy('active eq "True" and not (name.givenName eq "ben")')).toEqual([
    'amy',
    'cat',
  ]);
  expect(await namesBy('name.givenName co "a" and (userName sw "c" or userName sw "d")')).toEqual([
    'cat',
    'dan',
  ]);
  expect(await namesBy(`urn:ietf:params:scim:schemas:core:2.0:User:userName ew "x"`)).toEqual([]);
  expect(await namesBy('meta.lastModified gt "2011-05-13T04:42:34Z"')).toEqual(names);
  expect(await namesBy('displayName pr')).toEqual(names);

  const page = (await globex.ask({ path: '/Users?startIndex=2&count=2' })).body;
  expect(page).toMatchObject({ totalResults: 4, startIndex: 2, itemsPerPage: 2 });
  expect(page.Resources.map(({ name }) => name.givenName)).toEqual(['ben', 'cat']);
  expect((await globex.ask({ path: '/Users?count=0' })).body).toMatchObject({
    totalResults: 4,
    Resources: [],
  });
  const only = (await globex.ask({ path: '/Users?count=1&attributes=userName' })).body;
  expect(Object.keys(only.Resources[0]!).toSorted()).toEqual(['id', 'schemas', 'userName']);
});

test.each([
  ['userName eq', 'invalidFilter'],
  ['userName eq ada', 'invalidFilter'],
  ['userName like "a"', 'invalidFilter'],
  ['(userName eq "a"', 'invalidFilter'],
  ['userName eq "a" extra', 'invalidFilter'],
  ['password eq "a"', 'invalidFilter'],
  ['__proto__ eq "a"', 'invalidFilter'],
  ['constructor eq "a"', 'invalidFilter'],
  ['userName eq "\\u0000"', 'invalidFilter'],
  ['userName eq "\\ud800"', 'invalidFilter'],
  ['active gt true', 'invalidFilter'],
  ['meta.created gt "yesterday"', 'invalidFilter'],
  [`${'('.repeat(12)}userName pr${')'.repeat(12)}`, 'invalidFilter'],
  ['userName eq "\' OR 1=1 --"', null],
])('the filter %s gets %s', async (filter, scimType) => {
  const { status, body } = await acme.find('/Users', filter);
  if (scimType === null) expect([status, body.totalResults]).toEqual([200, 0]);
  else expect([status, body.scimType]).toEqual([400, scimType]);
});

test('after all these tests the tuples match the rows', async () => {
  expect(await driftOf(world.gateway)).toEqual([]);
});

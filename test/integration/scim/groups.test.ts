import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createDirectoryWorld, entraUser, oktaUser } from '../../support/people/directory.ts';
import { askAs, driftOf } from '../../support/people/organizations.ts';
import { createTeam, seatsOf, TEAM_ADMIN } from '../../support/people/teams.ts';
import { newEmail, sortedStatuses } from '../../support/people/people.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const world = await closeAfterTests(createDirectoryWorld());
const acme = await world.provisioned('example.com');

const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const newName = (name = 'Engineering') => `${name} ${randomUUID().slice(0, 8)}`;
const path = (id: string) => `/Groups/${id}`;

async function createUser(active = true): Promise<string> {
  const { body } = await acme.ask({ path: '/Users', body: oktaUser(newEmail(), { active }) });
  return body.id;
}
const membersOf = (ids: readonly string[]) => ids.map((value) => ({ value }));
const createGroup = (displayName: string, ids: readonly string[] = []) =>
  acme.ask({ path: '/Groups', body: { schemas: [GROUP], displayName, members: membersOf(ids) } });

/** Returns who is in the group, and who has a seat in its team. */
async function insideOf(id: string) {
  const group = await acme.ask({ path: path(id) });
  const seats = await seatsOf(acme.id, id).list(acme.owner);
  return {
    listed: (group.body.members ?? []).map(({ value }) => value).toSorted(),
    seated: seats.body.data.map(({ account_id }) => account_id).toSorted(),
  };
}
const both = (...ids: string[]) => ({ listed: ids.toSorted(), seated: ids.toSorted() });

test('Okta pushes a group with its members: a team whose name is made from the group’s', async () => {
  const users = [await createUser(), await createUser()];
  const displayName = newName('Ingénierie & R+D');

  const created = await createGroup(displayName, users);

  expect(created.status).toBe(201);
  const { id } = created.body;
  expect(created.body).toMatchObject({
    schemas: [GROUP],
    displayName,
    meta: { resourceType: 'Group', location: created.headers.get('location') },
  });
  expect(await insideOf(id)).toEqual(both(...users));
  const team = await askAs<{ name: string; title: string }>(acme.owner, {
    path: `${acme.path}/teams/${id}`,
  });
  expect(team.body.title).toBe(displayName);
  expect(team.body.name).toMatch(/^ingenierie-r-d-[0-9a-f]{8}$/);
  const user = await acme.ask({ path: `/Users/${users[0]}` });
  expect(user.body.groups).toMatchObject([{ value: id, display: displayName }]);
  const found = await acme.find('/Groups', `displayName eq "${displayName.toUpperCase()}"`);
  expect(found.body.Resources.map((group) => group.id)).toEqual([id]);
});

test('Okta renames a group and replaces its members without a path', async () => {
  const [one, two, three] = [await createUser(), await createUser(), await createUser()];
  const { body } = await createGroup(newName(), [one, two]);
  const displayName = newName('Platform');

  const renamed = await acme.patch(path(body.id), {
    op: 'replace',
    value: { id: body.id, displayName },
  });
  expect(renamed.body.displayName).toBe(displayName);
  const team = await askAs<{ name: string }>(acme.owner, { path: `${acme.path}/teams/${body.id}` });
  expect(team.body.name).toBe(displayName.toLowerCase().replace(' ', '-'));
  expect(await insideOf(body.id)).toEqual(both(one, two));

  await acme.patch(
    path(body.id),
    { op: 'remove', path: `members[value eq "${one}"]` },
    { op: 'add', path: 'members', value: membersOf([three]) },
  );
  expect(await insideOf(body.id)).toEqual(both(two, three));
  await acme.patch(path(body.id), { op: 'replace', path: 'members', value: membersOf([one]) });
  expect(await insideOf(body.id)).toEqual(both(one));
  const put = await acme.put(path(body.id), { displayName, members: membersOf([two, three]) });
  expect(put.status).toBe(200);
  expect(await insideOf(body.id)).toEqual(both(two, three));
});

test('Entra ID adds and removes members in its own forms, and repeated ones change nothing', async () => {
  const { body: ada } = await acme.ask({ path: '/Users', body: entraUser(newEmail()) });
  const bob = await createUser();
  const created = await acme.ask({
    path: '/Groups',
    body: {
      schemas: [GROUP, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
      externalId: randomUUID(),
      displayName: newName(),
      meta: { resourceType: 'Group' },
    },
  });
  const { id } = created.body;
  const add = { op: 'Add', path: 'members', value: [{ $ref: null, value: ada.id }] };

  await acme.patch(path(id), add);
  await acme.patch(path(id), add, { op: 'Add', path: 'members', value: membersOf([bob]) });
  expect(await insideOf(id)).toEqual(both(ada.id, bob));
  const isMember = async (who: string) =>
    (
      await acme.find(
        '/Groups',
        `id eq "${id}" and members eq "${who}"`,
        '&excludedAttributes=members',
      )
    ).body;
  expect(await isMember(bob)).toMatchObject({ totalResults: 1 });
  expect((await isMember(bob)).Resources[0]!.members).toBeUndefined();

  const remove = { op: 'Remove', path: 'members', value: [{ $ref: null, value: bob }] };
  await acme.patch(path(id), remove);
  const twice = await acme.patch(path(id), remove);
  expect(twice.status).toBe(200);
  expect(await insideOf(id)).toEqual(both(ada.id));
  expect(await isMember(bob)).toMatchObject({ totalResults: 0 });
  await acme.patch(path(id), { op: 'Remove', path: 'members' });
  expect(await insideOf(id)).toEqual(both());
});

test('a deactivated user keeps the place in groups and gets the seats back', async () => {
  const [eve, ann] = [await createUser(), await createUser(false)];
  const { body } = await createGroup(newName(), [eve, ann]);
  const setActive = (id: string, value: boolean) =>
    acme.patch(`/Users/${id}`, { op: 'replace', path: 'active', value });
  expect(await insideOf(body.id)).toEqual({ listed: [eve, ann].toSorted(), seated: [eve] });

  await setActive(eve, false);
  expect(await insideOf(body.id)).toEqual({ listed: [eve, ann].toSorted(), seated: [] });

  await setActive(eve, true);
  await setActive(ann, true);
  expect(await insideOf(body.id)).toEqual(both(eve, ann));

  expect((await acme.remove(`/Users/${eve}`)).status).toBe(204);
  expect(await insideOf(body.id)).toEqual(both(ann));
});

test('teams that people made are no groups, and people keep the seats that people gave them', async () => {
  const team = await createTeam(acme.owner, acme.id, `own-${randomUUID().slice(0, 8)}`);
  const [carl, dora] = [await createUser(), await createUser()];

  expect((await acme.ask({ path: path(team.id) })).status).toBe(404);
  const refused = await acme.patch(path(team.id), {
    op: 'add',
    path: 'members',
    value: membersOf([carl]),
  });
  expect(refused.status).toBe(404);
  // The group gets a team of its own, with another name.
  const group = await createGroup(team.name, [carl]);
  const own = await askAs<{ name: string }>(acme.owner, {
    path: `${acme.path}/teams/${group.body.id}`,
  });
  expect(own.body.name).toBe(`${team.name}-2`);

  const seats = seatsOf(acme.id, group.body.id);
  const given = await askAs(acme.owner, {
    path: `${seats.path}/members`,
    body: { account_id: dora, role_ids: [TEAM_ADMIN] },
  });
  expect(given.status).toBe(201);
  await acme.patch(path(group.body.id), { op: 'replace', path: 'members', value: [] });
  expect(await insideOf(group.body.id)).toEqual({ listed: [], seated: [dora] });
});

test('a deleted group is gone with its team, and its name is free', async () => {
  const name = newName();
  const { body } = await createGroup(name, [await createUser()]);

  expect((await acme.remove(path(body.id))).status).toBe(204);

  for (const answer of [await acme.ask({ path: path(body.id) }), await acme.remove(path(body.id))])
    expect(answer.status).toBe(404);
  expect((await askAs(acme.owner, { path: `${acme.path}/teams/${body.id}` })).status).toBe(404);
  const again = await createGroup(name);
  expect(again.status).toBe(201);
  expect(again.body.id).not.toBe(body.id);
});

test('a second group of one name gets 409, and so do all but one of concurrent ones', async () => {
  const name = newName();
  const answers = await Promise.all(Array.from({ length: 6 }, () => createGroup(name)));
  expect(sortedStatuses(answers)).toEqual([201, ...Array<number>(5).fill(409)]);
  const other = await createGroup(newName());

  const renamed = await acme.patch(path(other.body.id), {
    op: 'replace',
    path: 'displayName',
    value: name.toUpperCase(),
  });

  expect([renamed.status, renamed.body.scimType]).toEqual([409, 'uniqueness']);
});

test('concurrent changes of one group are all made', async () => {
  const users = await Promise.all(Array.from({ length: 6 }, () => createUser()));
  const { body } = await createGroup(newName(), users.slice(0, 3));

  const answers = await Promise.all([
    ...users
      .slice(3)
      .map((id) =>
        acme.patch(path(body.id), { op: 'add', path: 'members', value: membersOf([id]) }),
      ),
    ...users
      .slice(0, 2)
      .map((id) => acme.patch(path(body.id), { op: 'remove', path: `members[value eq "${id}"]` })),
  ]);

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(await insideOf(body.id)).toEqual(both(...users.slice(2)));
});

test('more members than fit into one change are added and removed', async () => {
  const users = await Promise.all(Array.from({ length: 25 }, () => createUser()));
  const { body } = await createGroup(newName(), users);
  expect(await insideOf(body.id)).toEqual(both(...users));

  await acme.patch(path(body.id), { op: 'replace', path: 'members', value: [] });
  expect(await insideOf(body.id)).toEqual(both());
});

test('a user of another organization, a team and an unknown id are no members', async () => {
  const globex = await world.provisioned(`${randomUUID()}.example`);
  const foreign = await globex.ask({ path: '/Users', body: oktaUser(`x@${globex.domain}`) });
  const { body } = await createGroup(newName());

  for (const value of [foreign.body.id, body.id, randomUUID(), acme.owner.account_id, 'x', 1]) {
    const refused = await acme.patch(path(body.id), {
      op: 'add',
      path: 'members',
      value: [{ value }],
    });
    expect([refused.status, refused.body.scimType]).toEqual([400, 'invalidValue']);
    const created = await acme.ask({
      path: '/Groups',
      body: { displayName: newName(), members: [{ value }] },
    });
    expect(created.status).toBe(400);
  }
  expect(await insideOf(body.id)).toEqual(both());
});

test.each([
  ['no name', {}],
  ['an empty name', { displayName: '' }],
  ['a name that is not a text', { displayName: 7 }],
  ['an invisible character', { displayName: 'a\u200bb' }],
  ['a name that is too long', { displayName: 'x'.repeat(101) }],
  ['members that are no list of ids', { displayName: 'Group', members: 'all' }],
])('a group with %s is refused', async (_what, body) => {
  const refused = await acme.ask({ path: '/Groups', body });
  expect([refused.status, refused.body.scimType]).toEqual([400, 'invalidValue']);
});

test('after all these tests the tuples match the rows', async () => {
  expect(await driftOf(world.gateway)).toEqual([]);
});

import { expect, test } from 'vitest';
import {
  askAs,
  createJoins,
  createOrganization,
  createRole,
  MEMBER,
} from '../../support/people/organizations.ts';
import { createKey, newEmail, ownAddresses, signUp } from '../../support/people/people.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway(ownAddresses);
const ada = await signUp(world, gateway, 'ada', newEmail('zz-owner'));
await world.query("UPDATE account SET plan = 'enterprise' WHERE id = $1", [ada.account_id]);
const { id: organization } = await createOrganization(ada);
const { id: managers } = await createRole(ada, organization, {
  ...{ name: 'Managers', permissions: ['can_view_organization'] },
});
const grace = await signUp(world, gateway, 'grace', newEmail('amazing'));
const joins = await createJoins(gateway);
await joins.add(organization, grace, [MEMBER, managers]);
await joins.close();

interface Listed {
  data: { id: string; name: string; email: string }[];
  next_cursor: string | null;
}

/** Returns what a list answers, with every page of `limit` entries. */
async function readAll(path: string, query: string, limit = 2) {
  const found: Listed['data'] = [];
  let cursor = '';
  do {
    const { status, body } = await askAs<Listed>(ada, {
      path: `${path}?limit=${limit}&${query}${cursor}`,
    });
    expect(status, JSON.stringify(body)).toBe(200);
    found.push(...body.data);
    cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`;
  } while (cursor !== '');
  return found;
}
const namesIn = async (path: string, query: string) =>
  (await readAll(path, query)).map(({ name }) => name);

const post = async (path: string, body: object) => {
  const { status, body: answer } = await askAs<{ id: string }>(ada, { path, body });
  expect(status, JSON.stringify(answer)).toBe(201);
  return answer.id;
};

/** Names in the order of creation. */
const NAMES = ['beta_two', 'alpha_two', 'beta_one', 'alpha_one', 'al%pha'];
const resource = (name: string) => ({ path: `${name}.md`, text: name, description: name });
const lists: Record<string, { create(name: string): Promise<unknown>; names?: string[] }> = {
  '/api/keys': { create: (name) => createKey(ada, { name }) },
  '/api/me/oauth-clients': {
    create: (name) =>
      post('/api/me/oauth-clients', {
        ...{
          name,
          type: 'public',
          grant_types: ['authorization_code'],
          allowed_scopes: ['mcp_tools'],
        },
        redirect_uris: ['https://example.com/callback'],
      }),
  },
  '/api/me/upstreams': {
    create: (name) => post('/api/me/upstreams', { name, url: 'https://example.com/mcp' }),
    names: NAMES.slice(0, 4),
  },
};

test.each(Object.entries(lists))(
  '%s finds entries by the beginning of their name, and sorts by it',
  async (path, { create, names = NAMES }) => {
    for (const name of names) await create(name);

    expect(await namesIn(path, '')).toEqual(names.toReversed());
    expect(await namesIn(path, 'sort=-created_at')).toEqual(names.toReversed());
    expect(await namesIn(path, 'sort=name')).toEqual(names.toSorted());
    expect(await namesIn(path, 'q=ALPHA')).toEqual(['alpha_one', 'alpha_two']);
    expect(await namesIn(path, 'q=ALPHA&sort=-created_at')).toEqual(['alpha_one', 'alpha_two']);
    expect(await namesIn(path, 'q=beta&sort=-created_at')).toEqual(['beta_one', 'beta_two']);
    expect(await namesIn(path, 'q=gamma')).toEqual([]);
  },
);

test('the characters % and _ and \\ in a search stand for themselves', async () => {
  expect(await namesIn('/api/keys', 'q=al%25')).toEqual(['al%pha']);
  expect(await namesIn('/api/keys', 'q=_eta')).toEqual([]);
  expect(await namesIn('/api/keys', 'q=%25')).toEqual([]);
  expect(await namesIn('/api/keys', 'q=al%5C%25')).toEqual([]);
});

test('a resource is found by the beginning of its path', async () => {
  for (const name of ['Guide', 'guest', 'other']) await post('/api/me/resources', resource(name));

  const found = await readAll('/api/me/resources', 'q=gu', 1);

  expect(found.map((one) => (one as unknown as { path: string }).path)).toEqual([
    ...['guest.md', 'Guide.md'],
  ]);
});

test('a list sorted by name continues after a resource with the longest path', async () => {
  const segment = 'p'.repeat(127);
  const path = `${Array.from({ length: 8 }, () => segment).join('/')}.md`.slice(-1_024);
  for (const suffix of ['', 'zzz'])
    await post('/api/me/resources', {
      ...{ path: suffix === '' ? path : `pz${suffix}.md`, text: 'x', description: 'x' },
    });

  const found = await readAll('/api/me/resources', 'q=p', 1);

  expect(found.map((one) => (one as unknown as { path: string }).path)).toEqual([path, 'pzzzz.md']);
});

test('a list held in memory continues after its last entry was deleted, or no longer matches', async () => {
  const permissions = ['can_view_organization'];
  const names = ['Paged A', 'Paged B', 'Paged C', 'Paged D'];
  const ids = [];
  for (const name of names)
    ids.push((await createRole(ada, organization, { name, permissions })).id);
  const path = inOrganization('roles');
  const page = async (more: string) =>
    (await askAs<Listed>(ada, { path: `${path}?limit=1&q=paged${more}` })).body;
  const first = await page('');
  await askAs(ada, { method: 'DELETE', path: `${path}/${ids[0]}` });
  const second = await page(`&cursor=${first.next_cursor}`);
  await askAs(ada, { method: 'PATCH', path: `${path}/${ids[1]}`, body: { name: 'Renamed' } });
  const third = await page(`&cursor=${second.next_cursor}`);

  expect([first, second, third].map(({ data }) => data[0]?.name)).toEqual(names.slice(0, 3));
});

test('a search in memory ignores case as names are compared, the final sigma included', async () => {
  await createRole(ada, organization, { name: 'ΟΔΟΣΑ', permissions: ['can_view_organization'] });

  expect(await namesIn(inOrganization('roles'), `q=${encodeURIComponent('ΟΔΟΣ')}`)).toEqual([
    'ΟΔΟΣΑ',
  ]);
});

test('a cursor continues only in the order in which it was given', async () => {
  const { body } = await askAs<Listed>(ada, { path: '/api/keys?limit=1&sort=name' });
  const cursor = `&cursor=${body.next_cursor}`;

  for (const sort of ['sort=-created_at', 'sort=last_used_at', 'unused_days=1']) {
    const path = `/api/keys?${sort}${cursor}`;
    const refused = await askAs(ada, { path });
    expect([path, refused.status, refused.body.errors?.[0]?.code]).toEqual([
      ...[path, 400, 'invalid_cursor'],
    ]);
  }
});

test('a list refuses an order that it does not have, and a search for nothing, too much or a NUL', async () => {
  const searches = ['q=', 'q=%20', 'q=%00', 'q=a%00b', `q=${'x'.repeat(101)}`];
  for (const query of ['sort=size', 'unused_days=0', ...searches]) {
    const refused = await askAs(ada, { path: `/api/keys?${query}` });
    expect([query, refused.status, refused.body.errors?.[0]?.code]).toEqual([
      ...[query, 400, 'invalid_query'],
    ]);
  }
});

test('unused_days finds keys by their last use, or their creation, longest unused first', async () => {
  const set = (name: string, column: string, days: number) =>
    world.query(
      `UPDATE api_key SET ${column} = now() - make_interval(days => $2)
       WHERE account_id = $3 AND name = $1`,
      [name, days, ada.account_id],
    );
  await set('alpha_one', 'created_at', 100);
  await set('alpha_one', 'last_used_at', 31);
  await set('beta_one', 'created_at', 90);
  await set('beta_two', 'created_at', 200);
  await set('beta_two', 'last_used_at', 1);

  expect(await namesIn('/api/keys', 'unused_days=30')).toEqual(['beta_one', 'alpha_one']);
  expect(await namesIn('/api/keys', 'unused_days=30&q=al')).toEqual(['alpha_one']);
  expect((await namesIn('/api/keys', 'sort=last_used_at')).slice(0, 3)).toEqual([
    ...['beta_one', 'alpha_one', 'beta_two'],
  ]);
});

const inOrganization = (path: string) => `/api/organizations/${organization}/${path}`;
const emailsOf = async (query: string) =>
  (await readAll(inOrganization('members'), query, 1)).map(({ email }) => email);

test('members are found by address, first and last name, once each', async () => {
  const name = { first_name: 'Amazing', last_name: 'Hopper' };
  const { status } = await askAs(grace, { method: 'PATCH', path: '/api/user/profile', body: name });
  expect(status).toBe(200);

  for (const query of ['q=amazing', 'q=AMAZING-', 'q=hop'])
    expect([query, ...(await emailsOf(query))]).toEqual([query, grace.email]);
  const twice = { first_name: 'Hopper', last_name: 'HOPPER' };
  await askAs(grace, { method: 'PATCH', path: '/api/user/profile', body: twice });
  expect(await emailsOf('q=hop')).toEqual([grace.email]);
  expect(await emailsOf('q=nobody')).toEqual([]);
  expect(await emailsOf('')).toEqual([ada.email, grace.email]);
});

test('members are found by role and by team', async () => {
  const team = await post(inOrganization('teams'), { name: 'core', title: 'Core' });
  await askAs(ada, {
    path: inOrganization(`teams/${team}/members`),
    body: { account_id: grace.account_id },
  });

  expect(await emailsOf(`role_id=${managers}`)).toEqual([grace.email]);
  expect(await emailsOf(`role_id=${MEMBER}&q=zz`)).toEqual([]);
  expect((await emailsOf(`team_id=${team}`)).includes(grace.email)).toBe(true);
});

test('organization keys are found by the team that they are bound to', async () => {
  const team = await post(inOrganization('teams'), { name: 'bound', title: 'Bound' });
  const key = (name: string, team_ids: string[]) =>
    post(inOrganization('keys'), { name, mcp_capabilities: ['tools'], team_ids });
  await key('bound', [team]);
  await key('free', []);

  expect(await namesIn(inOrganization('keys'), `team_id=${team}`)).toEqual(['bound']);
  expect(await namesIn(inOrganization('keys'), 'q=fr')).toEqual(['free']);
});

test('teams, roles, invitations and the catalog are found by the beginning of a name', async () => {
  await post(inOrganization('invitations'), { email: 'lin@example.com', role_ids: [MEMBER] });
  await post(inOrganization('invitations'), { email: 'lou@example.com', role_ids: [MEMBER] });

  expect(await namesIn(inOrganization('teams'), 'q=BOU')).toEqual(['bound']);
  expect(await namesIn(inOrganization('roles'), 'q=man')).toEqual(['Managers']);
  const invited = await readAll(inOrganization('invitations'), 'q=li', 1);
  expect(invited.map(({ email }) => email)).toEqual(['lin@example.com']);
  expect(await namesIn('/api/catalog/tools', 'q=hash')).toContain('hash');
});

test('a member who left, or has another name, is not found by the old one', async () => {
  await askAs(grace, {
    method: 'PATCH',
    path: '/api/user/profile',
    body: { first_name: 'Grace', last_name: 'Hopper' },
  });
  expect(await emailsOf('q=grace')).toEqual([grace.email]);
  await world.query("UPDATE account SET email = 'new-' || email WHERE id = $1", [grace.account_id]);
  expect(await emailsOf('q=amazing')).toEqual([]);

  const removed = await askAs(ada, {
    method: 'DELETE',
    path: inOrganization(`members/${grace.account_id}`),
  });
  expect(removed.status).toBe(204);
  const terms = await world.query(
    `SELECT term FROM member_term JOIN membership m ON m.id = membership_id
     WHERE m.account_id = $1`,
    [grace.account_id],
  );
  expect(terms).toEqual([]);
});

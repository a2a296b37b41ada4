import { randomUUID } from 'node:crypto';
import SCIMMY from 'scimmy';
import { expect, test } from 'vitest';
import {
  createDirectory,
  createDirectoryWorld,
  createToken,
  oktaUser,
} from '../../support/people/directory.ts';
import {
  askAs,
  askPresent,
  createOrganization,
  createRole,
  outcomeOf,
} from '../../support/people/organizations.ts';
import { createKey, signUp } from '../../support/people/people.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';
const world = await closeAfterTests(createDirectoryWorld());
const acme = await world.provisioned('example.com');

/** Sends a request with these headers only. */
const send = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${world.gateway.url}${path}`, { method, headers });

test('a token is shown once, listed without it, stored as a hash, and rejected once revoked', async () => {
  const { path, owner } = acme;
  const tokens = `${path}/sso/scim-tokens`;
  const { token, ...record } = await createToken(owner, acme.id);
  expect(token).toMatch(/^scim_[\w-]{43}$/);
  expect(record).toMatchObject({ name: 'Okta', prefix: token.slice(0, 9), last_used_at: null });

  const directory = createDirectory(world.otherGateway, acme.base, token);
  expect((await directory.ask({ path: '/Users?count=1' })).status).toBe(200);

  const listed = await askAs<{ data: { id: string; last_used_at: string | null }[] }>(owner, {
    path: tokens,
  });
  expect(listed.body.data.find(({ id }) => id === record.id)).toMatchObject({
    created_by: { account_id: owner.account_id, email: owner.email },
  });
  const [{ found } = { found: '' }] = await world.world.query<{ found: string }>(
    `SELECT count(*) AS found FROM scim_token t, audit_event e
     WHERE t::text LIKE $1 OR e::text LIKE $1`,
    [`%${token.slice(9)}%`],
  );
  expect(found).toBe('0');
  const revoked = await askAs(owner, { method: 'DELETE', path: `${tokens}/${record.id}` });
  expect(revoked.status).toBe(204);
  expect((await directory.ask({ path: '/Users' })).status).toBe(401);
});

test('every wrong credential gets the same 401 in the shape of SCIM', async () => {
  const { secret } = await createKey(acme.owner);
  const path = `${acme.base}/Users`;
  const answers = await Promise.all(
    [
      { authorization: `Bearer scim_${'x'.repeat(43)}` },
      { authorization: `Bearer ${acme.token}x` },
      { authorization: `Bearer ${acme.token.toUpperCase()}` },
      { authorization: `Bearer ${'x'.repeat(4_000)}` },
      { authorization: acme.owner.bearer.authorization },
      { authorization: `Bearer ${secret}` },
    ].map((headers) => send(path, headers)),
  );
  const texts = await Promise.all(answers.map((answer) => answer.text()));
  expect(answers.map(({ status }) => status)).toEqual(Array<number>(6).fill(401));
  expect(new Set(texts).size).toBe(1);
  expect(JSON.parse(texts[0] ?? '')).toEqual({
    ...{ schemas: [ERROR], status: '401' },
    detail:
      'The credential is not valid. It may be incomplete, expired or revoked: use another one.',
  });
  for (const headers of [
    {},
    { 'x-api-key': secret },
    { authorization: 'Basic x' },
    { authorization: `Bearer ${acme.token}`, 'x-api-key': secret },
  ]) {
    const refused = await send(path, headers);
    expect(refused.status).toBe(401);
    expect(await refused.json()).toMatchObject({ schemas: [ERROR], status: '401' });
  }
});

test('a SCIM token is no credential elsewhere', async () => {
  const headers = { authorization: `Bearer ${acme.token}` };
  for (const path of [acme.path, '/api/keys', '/api/user/profile', '/mcp'])
    expect((await send(path, headers, path === '/mcp' ? 'POST' : 'GET')).status).toBe(401);
});

test('another organization gets the response of one that does not exist', async () => {
  const globex = await world.provisioned(`${randomUUID()}.example`);
  const { body } = await globex.ask({ path: '/Users', body: oktaUser(`x@${globex.domain}`) });
  const own = createDirectory(world.gateway, acme.base, acme.token);
  const other = createDirectory(world.gateway, globex.base, acme.token);
  const none = createDirectory(world.gateway, `/scim/v2/${randomUUID()}`, acme.token);
  const malformed = createDirectory(world.gateway, '/scim/v2/x', acme.token);

  const user = oktaUser(`y@${globex.domain}`);
  for (const request of [
    { path: '/Users' },
    { path: `/Users/${body.id}` },
    { path: '/Users', body: user },
    { path: `/Users/${body.id}`, method: 'DELETE' },
    { path: '/ServiceProviderConfig' },
  ]) {
    const texts = [await other.ask(request), await none.ask(request), await malformed.ask(request)];
    expect(texts.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(new Set(texts.map(({ text }) => text)).size).toBe(1);
  }
  // The ids of another organization's users are unknown in one's own.
  const foreign = await own.ask({ path: `/Users/${body.id}` });
  const unknown = await own.ask({ path: `/Users/${randomUUID()}` });
  expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
});

test('below Enterprise and while suspended nothing is provisioned; a deleted organization’s token is rejected', async () => {
  const { service } = world.gateway;
  const globex = await world.provisioned(`${randomUUID()}.example`);
  const create = () => globex.ask({ path: '/Users', body: oktaUser(`a@${globex.domain}`) });

  await service.organizations.setPlan(globex.id, 'pro');
  expect((await create()).status).toBe(403);
  const token = { path: `${globex.path}/sso/scim-tokens`, body: {} };
  expect(outcomeOf(await askPresent(globex.owner, token))).toEqual([422, 'plan_required']);
  await service.organizations.setPlan(globex.id, 'enterprise');
  await service.organizations.setStatus(globex.id, 'suspended');
  expect((await create()).status).toBe(403);
  await service.organizations.setStatus(globex.id, 'active');
  expect((await create()).status).toBe(201);

  const { body } = await askAs<{ name: string }>(globex.owner, { path: globex.path });
  await askPresent(globex.owner, {
    method: 'DELETE',
    path: globex.path,
    body: { confirm: body.name },
  });
  expect((await create()).status).toBe(401);
});

test('an organization has at most ten tokens, and only who may update single sign-on creates them', async () => {
  const globex = await world.provisioned(`${randomUUID()}.example`);
  for (let count = 1; count < 10; count += 1) await createToken(globex.owner, globex.id);
  const path = `${globex.path}/sso/scim-tokens`;
  const refused = await askPresent(globex.owner, { path, body: { name: 'One more' } });
  expect(outcomeOf(refused)).toEqual([422, 'limit_reached']);

  const member = await world.join(globex.id);
  expect(outcomeOf(await askAs(member, { path, body: {} }))).toEqual([403, 'permission_denied']);
  const stranger = await signUp(world.world, world.gateway, 'stranger');
  await createOrganization(stranger);
  expect((await askAs(stranger, { path, body: {} })).status).toBe(404);
});

test('an independent implementation reads users, groups and errors as RFC 7643 and 7644 demand', async () => {
  const email = `r-${randomUUID()}@example.com`;
  const { body } = await acme.ask({ path: '/Users', body: oktaUser(email) });
  const group = await acme.ask({
    path: '/Groups',
    body: { displayName: `Readers ${randomUUID()}`, members: [{ value: body.id }] },
  });
  const { body: user } = await acme.ask({ path: `/Users/${body.id}` });

  const readUser = new SCIMMY.Schemas.User(user, 'both');
  const readGroup = new SCIMMY.Schemas.Group(group.body, 'both');
  expect(JSON.parse(JSON.stringify(readUser))).toMatchObject({
    userName: email,
    emails: [{ value: email }],
  });
  expect(JSON.parse(JSON.stringify(readGroup))).toMatchObject({ members: [{ value: body.id }] });
  const refused = await acme.ask({ path: '/Users?filter=x' });
  const { scimType, detail } = refused.body;
  // Throws if the status and the type do not go together.
  const error = new SCIMMY.Messages.ErrorResponse({
    status: refused.status as 400,
    scimType: scimType as 'invalidFilter',
    detail,
  });
  expect(JSON.parse(JSON.stringify(error))).toEqual(refused.body);
});

test('only the token of somebody with every permission of an Admin moves an account to another address', async () => {
  const email = `m-${randomUUID()}@example.com`;
  const { body: created } = await acme.ask({ path: '/Users', body: oktaUser(email) });
  const role = await createRole(acme.owner, acme.id, {
    name: `IT ${email}`,
    permissions: ['can_update_organization_sso'],
  });
  const it = await world.join(acme.id, 'it', [role.id]);
  const { token } = await createToken(it, acme.id);
  const directory = createDirectory(world.gateway, acme.base, token);

  const patched = await directory.patch(`/Users/${created.id}`, {
    op: 'replace',
    value: {
      emails: [{ value: `n-${randomUUID()}@example.com`, primary: true }],
      displayName: 'Moved',
    },
  });

  expect(patched.body).toMatchObject({ displayName: 'Moved', emails: [{ value: email }] });
});

test('what is supported is described, and matches what is served', async () => {
  const { body: configuration } = await acme.ask({ path: '/ServiceProviderConfig' });
  expect(configuration).toMatchObject({
    patch: { supported: true },
    bulk: { supported: false },
    filter: { supported: true, maxResults: 200 },
    sort: { supported: false },
    etag: { supported: false },
    authenticationSchemes: [{ type: 'oauthbearertoken' }],
  });
  const types = (await acme.ask({ path: '/ResourceTypes' })).body;
  expect(types.Resources).toMatchObject([
    { id: 'User', endpoint: '/Users' },
    { id: 'Group', endpoint: '/Groups' },
  ]);
  const schemas = (await acme.ask({ path: '/Schemas' })).body;
  expect(schemas.totalResults).toBe(2);
  for (const { id } of schemas.Resources)
    expect((await acme.ask({ path: `/Schemas/${id}` })).body.id).toBe(id);
  expect((await acme.ask({ path: '/ResourceTypes/Group' })).status).toBe(200);
  expect((await acme.ask({ path: '/Schemas/x' })).status).toBe(404);
});

test.each<
  [
    string,
    { method?: string; path: string; body?: unknown; headers?: Record<string, string> },
    number,
  ]
>([
  ['a body that is not JSON', { path: '/Users', body: '{' }, 400],
  ['a body with a repeated key', { path: '/Users', body: '{"userName":"a","userName":"b"}' }, 400],
  ['a list', { path: '/Users', body: [] }, 400],
  ['an empty body', { method: 'POST', path: '/Users', body: '' }, 400],
  [
    'another media type',
    { path: '/Users', body: {}, headers: { 'content-type': 'text/plain' } },
    415,
  ],
  ['a NUL', { path: '/Users', body: '{"userName":"a\\u0000"}' }, 400],
  ['a body of 3 MB', { path: '/Users', body: `"${'x'.repeat(3_000_000)}"` }, 413],
  ['a repeated parameter', { path: '/Users?count=1&count=2' }, 400],
  ['a count that is not a number', { path: '/Users?count=many' }, 400],
  ['an unknown endpoint', { path: '/Bulk', body: {} }, 404],
  ['a method that the path lacks', { method: 'PUT', path: '/Users', body: {} }, 405],
  ['an id that is not a UUID', { path: '/Users/x' }, 404],
])('%s gets an error in the shape of SCIM', async (_what, request, status) => {
  const answer = await acme.ask(request);
  expect([answer.status, answer.body]).toMatchObject([
    status,
    { schemas: [ERROR], status: String(status), detail: expect.any(String) },
  ]);
  expect(answer.headers.get('content-type')).toMatch(/^application\/scim\+json/);
});

test.each<[string, object[], string]>([
  ['no operations', [], 'invalidValue'],
  ['an unknown operation', [{ op: 'move', path: 'active' }], 'invalidValue'],
  ['a removal without a path', [{ op: 'remove' }], 'noTarget'],
  ['a malformed path', [{ op: 'replace', path: 'name..x', value: 'a' }], 'invalidPath'],
  [
    'a malformed filter in a path',
    [{ op: 'add', path: 'emails[type]', value: 'a' }],
    'invalidFilter',
  ],
  ['a value that is not an object', [{ op: 'add', value: 'a' }], 'invalidValue'],
  ['a removed userName', [{ op: 'remove', path: 'userName' }], 'mutability'],
  ['active as a number', [{ op: 'replace', path: 'active', value: 1 }], 'invalidValue'],
  [
    'a text that is too long',
    [{ op: 'replace', path: 'displayName', value: 'x'.repeat(257) }],
    'invalidValue',
  ],
])('a PATCH with %s is refused, and changes nothing', async (_what, operations, scimType) => {
  const email = `p-${randomUUID()}@example.com`;
  const { body } = await acme.ask({ path: '/Users', body: oktaUser(email) });
  const before = await acme.ask({ path: `/Users/${body.id}` });

  const first = { op: 'replace', path: 'externalId', value: 'changed' };
  const refused = await acme.patch(
    `/Users/${body.id}`,
    ...(operations.length === 0 ? [] : [first, ...operations]),
  );

  expect([refused.status, refused.body.scimType]).toEqual([400, scimType]);
  expect((await acme.ask({ path: `/Users/${body.id}` })).text).toBe(before.text);
});

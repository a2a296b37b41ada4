import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createOAuthPeer } from '../../../support/people/oauth.ts';
import { askAs, createOrganization } from '../../../support/people/organizations.ts';
import { oneAddress, signUp } from '../../../support/people/people.ts';
import { encodings, readTables } from '../../../support/worlds/stored-texts.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';
import { refusedDrafts } from './refused-drafts.ts';
import { clientsIn, edit, faults, OWN, publicDraft, register, registered } from './registering.ts';

const { world, gateway } = await useGateway(oneAddress);
const ann = await signUp(world, gateway, 'ann');
const bob = await signUp(world, gateway, 'bob');
const acme = clientsIn((await createOrganization(ann)).id);

const confidential = { ...publicDraft, type: 'confidential' };
const ofBoth = () => [OWN, acme];

test('a client is shown with what it may do; its secret is shown once and stored as a hash', async () => {
  for (const path of ofBoth()) {
    const { status, body } = await register(ann, path, { ...confidential, team_ids: null });
    expect(status).toBe(201);
    const { client_secret: secret, ...record } = body;
    expect(secret).toMatch(/^cs_[\w-]{43}$/);
    expect(record).toMatchObject({
      ...{ name: 'Editor', type: 'confidential', grant_types: publicDraft.grant_types },
      ...{ redirect_uris: publicDraft.redirect_uris, allowed_scopes: ['mcp_tools'] },
      ...{ follows_memberships: path === acme, teams: [], connections: 0, disabled: false },
      require_pkce: true,
      secrets: [{ prefix: secret!.slice(0, 7), last_used_at: null }],
      created_by: { account_id: ann.account_id, email: ann.email },
    });
    const one = { path: `${path}/${record.id}` };
    expect((await askAs(ann, one)).body).toEqual(record);
    const listed = await askAs<{ data: object[] }>(ann, { path });
    expect(listed.body.data).toContainEqual(record);

    const stored = await world.query<{ secret_hash: Buffer }>(
      'SELECT secret_hash FROM oauth_client_secret WHERE client_id = $1',
      [record.id],
    );
    const hash = createHash('sha256').update(secret!).digest();
    expect(stored.map(({ secret_hash }) => secret_hash)).toEqual([hash]);
    const texts = [...(await readTables(world)).values()].join('\n');
    expect(texts).toContain(record.id);
    for (const form of encodings(secret!)) expect(texts).not.toContain(form);
  }
});

test('the request that docs/oauth-clients.md shows registers a client, whose id starts an authorization', async () => {
  const page = readFileSync(new URL('../../../../docs/oauth-clients.md', import.meta.url), 'utf8');
  const [, path, headers, body] =
    /^curl -X POST https:\/\/[^/]+(\S+) \\\n(.*?)-d '([^']+)'\n/ms.exec(page)!;
  expect(headers).toContain(
    '-H "Authorization: Bearer $TOKEN" -H \'Content-Type: application/json\'',
  );

  const { status, body: client } = await register(ann, path!, JSON.parse(body!));
  expect([status, client.client_secret]).toEqual([201, null]);
  const { uid } = await createOAuthPeer(gateway).start({
    ...{ id: client.id, secret: null, scopes: client.allowed_scopes },
    redirect_uri: client.redirect_uris[0]!,
  });
  expect(uid).not.toBe('');
});

test('a public client has no secret, and none can be added', async () => {
  const client = await registered(ann, OWN);

  expect([client.client_secret, client.secrets]).toEqual([null, []]);
  const added = await askAs(ann, { path: `${client.path}/secrets`, body: {} });
  expect(faults(added)).toEqual([422, 'secret_not_applicable']);
});

test('a confidential client requires PKCE until its registrant turns that off, and a public one always', async () => {
  const path = (await registered(ann, OWN, confidential)).path;
  const off = await edit(ann, path, { require_pkce: false });
  expect([off.status, off.body.require_pkce]).toEqual([200, false]);
  const [audited] = await world.query<{ detail: object }>(
    `SELECT detail FROM audit_event WHERE action = 'oauth_client.update'
     ORDER BY at DESC, id DESC LIMIT 1`,
  );
  expect(audited!.detail).toMatchObject({
    ...{ before: { require_pkce: true }, after: { require_pkce: false } },
  });
  expect((await edit(ann, path, { name: 'Other' })).body.require_pkce).toBe(false);
  expect((await edit(ann, path, { require_pkce: true })).body.require_pkce).toBe(true);

  const open = await registered(ann, OWN, { ...confidential, require_pkce: false });
  expect(open.require_pkce).toBe(false);
  const { path: publicPath } = await registered(ann, OWN);
  expect(faults(await edit(ann, publicPath, { require_pkce: false }))).toEqual([
    ...[422, 'pkce_required /require_pkce'],
  ]);
});

test('the views that a scope implies are allowed with it, and team_policies the four families (SC2)', async () => {
  const client = await registered(ann, acme, {
    ...publicDraft,
    allowed_scopes: ['write:team_policies', 'invite:organization_members', 'mcp_agents'],
  });
  const families = ['resource', 'tool', 'prompt', 'agent'];

  expect(new Set(client.allowed_scopes)).toEqual(
    new Set([
      ...['mcp_agents', 'invite:organization_members', 'read:organization_members'],
      ...['read:team_policies', 'write:team_policies'],
      ...families.flatMap((name) => [`read:team_${name}_policies`, `write:team_${name}_policies`]),
    ]),
  );
});

test.each(refusedDrafts)(
  'a registration with %s is refused',
  async (_what, whose, fields, expected) => {
    const path = whose === 'own' ? OWN : acme;
    expect(faults(await register(ann, path, { ...publicDraft, ...fields }))).toEqual(expected);
  },
);

test('all problems of a registration are listed at once', async () => {
  const refused = await register(ann, OWN, {
    ...{ ...publicDraft, grant_types: ['authorization_code', 'client_credentials'] },
    ...{ redirect_uris: ['https://a.example/*'], allowed_scopes: ['mcp_tools', 'x'] },
  });
  expect(faults(refused)).toEqual([
    422,
    'grant_type_not_allowed /grant_types/1',
    'redirect_uri_not_allowed /redirect_uris/0',
    'unknown_scope /allowed_scopes/1',
  ]);
});

test('only a session registers clients or adds secrets; a key with every permission may rename, disable and delete them', async () => {
  const organization_id = acme.split('/')[3]!;
  const permissions = ['view', 'create', 'update', 'delete'].map(
    (verb) => `can_${verb}_organization_oauth_clients`,
  );
  const { body: key } = await askAs<{ secret: string }>(ann, {
    path: `/api/organizations/${organization_id}/keys`,
    body: {
      ...{ name: 'Keeper', mcp_capabilities: [], team_ids: [] },
      grants: [{ scope: { type: 'org', org_id: organization_id }, permissions }],
    },
  });
  const client = await registered(ann, acme, confidential);
  const asKey = { ...ann, bearer: { 'x-api-key': key.secret } as never };
  const interactive = [403, 'interactive_only'];

  expect(faults(await register(asKey, acme, publicDraft))).toEqual(interactive);
  expect(faults(await register(asKey, OWN, publicDraft))).toEqual(interactive);
  expect(faults(await askAs(asKey, { path: OWN }))).toEqual(interactive);
  const secrets = { path: `${client.path}/secrets`, body: {} };
  expect(faults(await askAs(asKey, secrets))).toEqual(interactive);
  for (const given of [
    { redirect_uris: ['https://evil.example/'] },
    { allowed_scopes: ['mcp_tools', 'mcp_agents'] },
    { grant_types: ['authorization_code'] },
    { team_ids: [] },
    { name: 'Also renamed', disabled: false },
  ])
    expect(faults(await edit(asKey, client.path, given)), JSON.stringify(given)).toEqual(
      interactive,
    );
  const renamed = await edit(asKey, client.path, { name: 'Renamed', disabled: true });
  expect([renamed.status, renamed.body.name, renamed.body.disabled]).toEqual([
    ...[200, 'Renamed', true],
  ]);
  expect((await askAs(asKey, { method: 'DELETE', path: client.path })).status).toBe(204);
  expect((await askAs(ann, { path: client.path })).status).toBe(404);
});

test('a client of somebody else is not found, whatever is sent', async () => {
  const own = await registered(ann, OWN, confidential);
  const shared = await registered(ann, acme, confidential);
  const bobs = clientsIn((await createOrganization(bob)).id);
  const [secret] = own.secrets;
  const elsewhere = [own.path, `${OWN}/${shared.id}`, `${bobs}/${shared.id}`, shared.path];

  for (const path of elsewhere)
    for (const request of [
      { path },
      { method: 'PATCH' as const, path, body: { disabled: true } },
      { method: 'DELETE' as const, path },
      { path: `${path}/secrets`, body: {} },
      { method: 'DELETE' as const, path: `${path}/secrets/${secret!.id}` },
    ])
      expect(faults(await askAs(bob, request)), path).toEqual([404, 'not_found']);
  const listed = await askAs<{ data: object[] }>(bob, { path: OWN });
  expect(listed.body.data).toEqual([]);
  for (const { path } of [own, shared])
    expect((await askAs(ann, { path })).body).toMatchObject({ disabled: false, secrets: [{}] });
});

test('a client has two secrets while it rotates, never three, and a deleted one is gone', async () => {
  const client = await registered(ann, OWN, confidential);
  const add = () => askAs<{ id: string }>(ann, { path: `${client.path}/secrets`, body: {} });

  // Several at once: one is the second.
  const added = await Promise.all([add(), add(), add()]);
  expect(added.map(({ status }) => String(status)).toSorted()).toEqual(['201', '422', '422']);
  expect(faults(await add())).toEqual([422, 'limit_reached']);
  const second = added.find(({ status }) => status === 201)!.body;
  expect(second).toMatchObject({ client_secret: expect.stringMatching(/^cs_/) });
  const remove = () =>
    askAs(ann, { method: 'DELETE', path: `${client.path}/secrets/${client.secrets[0]!.id}` });
  expect([(await remove()).status, (await remove()).status]).toEqual([204, 404]);
  const { body } = await askAs<typeof client>(ann, { path: client.path });
  expect(body.secrets.map(({ id }) => id)).toEqual([second.id]);
});

test('an edit changes what it names, and is recorded with what was before', async () => {
  const client = await registered(ann, acme);
  const unchanged = await edit(ann, client.path, {
    name: client.name,
    redirect_uris: client.redirect_uris,
    allowed_scopes: client.allowed_scopes,
    team_ids: null,
    disabled: false,
    type: 'confidential',
  });
  expect([unchanged.status, unchanged.body.type]).toEqual([200, 'public']);
  const changed = await edit(ann, client.path, {
    redirect_uris: ['https://editor.example/callback'],
    disabled: true,
  });
  expect(changed.body).toMatchObject({
    ...{ name: 'Editor', disabled: true },
    redirect_uris: ['https://editor.example/callback'],
  });
  expect(faults(await edit(ann, client.path, { redirect_uris: [] }))).toEqual([
    422,
    'redirect_uri_required /redirect_uris',
  ]);
  await askAs(ann, { method: 'DELETE', path: client.path });

  const organization_id = acme.split('/')[3]!;
  const { body } = await askAs<{ data: { action: string; detail: object; target: object }[] }>(
    ann,
    { path: `/api/organizations/${organization_id}/audit?limit=5` },
  );
  const entries = body.data.filter((entry) => JSON.stringify(entry).includes(client.id));
  expect(entries.map(({ action, detail }) => [action, detail])).toMatchObject([
    ['oauth_client.delete', { before: { name: 'Editor', disabled: true } }],
    [
      'oauth_client.update',
      {
        before: { redirect_uris: ['http://localhost/callback'], disabled: false },
        after: { redirect_uris: ['https://editor.example/callback'], disabled: true },
      },
    ],
    ['oauth_client.create', { after: { name: 'Editor', allowed_scopes: ['mcp_tools'] } }],
  ]);
});

test('an account has at most 100 clients, also when the last ones are registered at once', async () => {
  const carl = await signUp(world, gateway, 'carl');
  await world.query(
    `INSERT INTO oauth_client (id, account_id, name, type, grant_types, redirect_uris, allowed_scopes)
     SELECT gen_random_uuid(), $1, 'x', 'public', '{authorization_code}', '{http://localhost/}',
       '{mcp_tools}' FROM generate_series(1, 98)`,
    [carl.account_id],
  );
  const answers = await Promise.all([1, 2, 3, 4].map(() => register(carl, OWN, publicDraft)));
  expect(answers.map((answer) => faults(answer).join(' ')).toSorted()).toEqual([
    ...['201', '201', '422 limit_reached', '422 limit_reached'],
  ]);
});

test('clients are listed newest first, in pages', async () => {
  const dora = await signUp(world, gateway, 'dora');
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) ids.unshift((await registered(dora, OWN)).id);
  const page = (query: string) =>
    askAs<{ data: { id: string }[]; next_cursor: string | null }>(dora, { path: `${OWN}${query}` });
  const first = (await page('?limit=2')).body;
  const second = (await page(`?limit=2&cursor=${first.next_cursor}`)).body;
  expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids);
  expect(second.next_cursor).toBeNull();
});

import { beforeEach, expect, test } from 'vitest';
import type { OrganizationRecord } from '../../../src/organizations/schema.ts';
import type { ConnectionRecord } from '../../../src/sso/connections/schema.ts';
import { ADMIN, askPresent, MEMBER, outcomeOf } from '../../support/people/organizations.ts';
import { recover } from '../../support/people/recovered.ts';
import { createSsoWorld } from '../../support/people/sso.ts';
import { cookieOf, profileOf } from '../../support/people/third-party.ts';
import { createVisitor } from '../../support/people/visitor.ts';
import type { Visitor } from '../../support/people/visitor.ts';
import { createTeam } from '../../support/people/teams.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const sso = await closeAfterTests(createSsoWorld());
beforeEach(() => {
  sso.provider.deviations = {};
});

const organizationOf = (visitor: Visitor, id: string) =>
  visitor.person.ask<OrganizationRecord>({
    path: `/api/organizations/${id}`,
    headers: cookieOf(visitor),
  });

const SECRET = 'a client secret that nobody may read';

test('a connection shows everything but its secret, which is stored encrypted and never recorded', async () => {
  const acme = await sso.organization({ oidc: { ...sso.oidc, client_secret: SECRET } });
  const { connection } = acme;
  const base = `${sso.gateway.config.PUBLIC_URL}/api/auth/sso/${connection.id}`;
  const { client_secret: _, ...oidc } = sso.oidc;
  expect(connection).toEqual({
    ...{ id: connection.id, name: 'Acme ID', protocol: 'oidc', oidc, saml: null },
    attributes: { email: null, first_name: null, last_name: null },
    ...{ role_ids: [MEMBER], teams: [] },
    service_provider: {
      entity_id: `${base}/metadata`,
      acs_url: `${base}/acs`,
      callback_url: `${base}/callback`,
      metadata_url: `${base}/metadata`,
    },
    created_at: expect.any(String),
  });
  const path = `${acme.path}/connections/${connection.id}`;
  const body = { oidc: { client_secret: `${SECRET} 2` }, name: 'Renamed' };
  const edited = await sso.require(acme.owner, { method: 'PATCH', path, body });
  expect(edited).toEqual({ ...connection, name: 'Renamed' });
  expect(await sso.require(acme.owner, { path })).toEqual(edited);
  expect(await sso.require(acme.owner, { path: `${acme.path}/connections` })).toEqual({
    ...{ data: [edited], next_cursor: null },
  });
  const stored = await sso.world.query(
    `SELECT encode(secret, 'escape') AS secret FROM sso_connection WHERE id = $1`,
    [connection.id],
  );
  const audit = await sso.require(acme.owner, { path: `/api/organizations/${acme.id}/audit` });
  for (const text of [stored, audit, edited].map((value) => JSON.stringify(value)))
    expect(text).not.toContain('nobody may read');
  expect(JSON.stringify(audit)).toContain('sso_connection.update');
});

test('a malformed connection is refused with 400, one too many with 422', async () => {
  const acme = await sso.organization();
  const create = (body: object) =>
    askPresent(acme.owner, { path: `${acme.path}/connections`, body });
  const draft = { name: 'Another', protocol: 'oidc', oidc: sso.oidc };
  for (const change of [
    { name: '' },
    { protocol: 'ldap' },
    { oidc: { ...sso.oidc, client_secret: undefined } },
    { oidc: { ...sso.oidc, issuer: 'ftp://id.example' } },
    { oidc: { ...sso.oidc, issuer: 'https://user@id.example' } },
    { protocol: 'saml', saml: {} },
    { role_ids: [] },
    { teams: [{ team_id: crypto.randomUUID() }, { team_id: 'x' }] },
  ])
    expect((await create({ ...draft, ...change })).status).toBe(400);
  expect(outcomeOf(await create({ ...draft, role_ids: [crypto.randomUUID()] }))).toEqual([
    ...[422, 'unknown_role'],
  ]);
  const path = `${acme.path}/connections/${acme.connection.id}`;
  const other = await askPresent(acme.owner, {
    ...{ method: 'PATCH', path, body: { saml: { metadata: '<x/>' } } },
  });
  expect(other.status).toBe(400);
  for (let count = 1; count < 10; count += 1) expect((await create(draft)).status).toBe(201);
  expect(outcomeOf(await create(draft))).toEqual([422, 'limit_reached']);
});

test('with another provider, or without the connection, links end; the address leads to the same account again', async () => {
  const acme = await sso.organization();
  const ada = acme.someone();
  const first = await acme.signIn(ada);
  const { id } = (await profileOf(first.visitor)).body;
  const identities = () =>
    sso.world.query('SELECT provider FROM account_identity WHERE account_id = $1', [id]);
  expect(await identities()).toEqual([{ provider: 'sso' }]);
  const path = `${acme.path}/connections/${acme.connection.id}`;
  const issuer = sso.provider.issuer.replace('127.0.0.1', 'localhost');
  await sso.require(acme.owner, { method: 'PATCH', path, body: { oidc: { issuer } } });
  expect(await identities()).toEqual([]);
  await sso.require(acme.owner, {
    ...{ method: 'PATCH', path, body: { oidc: { issuer: sso.provider.issuer } } },
  });
  const second = await acme.signIn({ ...ada, sub: crypto.randomUUID() });
  expect((await profileOf(second.visitor)).body.id).toBe(id);

  await sso.require(acme.owner, { method: 'DELETE', path });
  expect(await identities()).toEqual([]);
  expect((await createVisitor(sso.gateway.url).go(acme.start)).status).toBe(404);
});

test('a sign-in that began before the settings changed does not complete', async () => {
  const acme = await sso.organization();
  sso.provider.person = acme.someone();
  const visitor = createVisitor(sso.gateway.url);
  const start = await visitor.go(acme.start);
  const path = `${acme.path}/connections/${acme.connection.id}`;
  const body = { attributes: { first_name: 'nickname' } };
  await sso.require(acme.owner, { method: 'PATCH', path, body });
  const back = await fetch(start.location, { redirect: 'manual' });
  const step = await visitor.go(back.headers.get('location')!);
  expect(step.location).toBe(sso.refused('expired'));
});

test('attributes name the claims to read, and an unreachable provider is reported', async () => {
  const acme = await sso.organization({ attributes: { email: 'upn', first_name: 'nick' } });
  const ada = acme.someone({ email: 'ada@elsewhere.example', nick: 'Countess' });
  const { visitor } = await acme.signIn({ ...ada, upn: `Countess@${acme.domain}` });
  expect((await profileOf(visitor)).body).toMatchObject({
    ...{ email: `countess@${acme.domain}`, first_name: 'Countess', last_name: 'Lovelace' },
  });

  const away = await sso.require<ConnectionRecord>(acme.owner, {
    path: `${acme.path}/connections`,
    body: {
      ...{ name: 'Away', protocol: 'oidc' },
      oidc: { ...sso.oidc, issuer: 'http://127.0.0.1:1' },
    },
  });
  const step = await createVisitor(sso.gateway.url).go(`/api/auth/sso/${away.id}/start`);
  expect([step.location, step.setCookie]).toEqual([sso.refused('provider_unavailable'), []]);
});

test.each(['authorization_endpoint', 'token_endpoint', 'jwks_uri'])(
  'a provider whose %s cannot be requested is reported (rel:S14)',
  async (endpoint) => {
    const acme = await sso.organization();
    for (const url of ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'no URL']) {
      sso.provider.deviations = { discovery: { [endpoint]: url } };
      const { step } = await acme.signIn(acme.someone());
      expect([step.status, step.location]).toEqual([302, sso.refused('provider_unavailable')]);
    }
    if (endpoint === 'authorization_endpoint') return;
    // Plain http is only for hosts that the operator allowed.
    sso.provider.deviations = { discovery: { [endpoint]: 'http://provider.example/' } };
    const { step } = await acme.signIn(acme.someone());
    expect(step.location).toBe(sso.refused('provider_unavailable'));
  },
);

test('the account that set a connection up may be deleted: people still sign in', async () => {
  const acme = await sso.organization();
  const admin = await sso.join(acme.id, 'admin', [ADMIN]);
  const own = await sso.require<ConnectionRecord>(admin, {
    path: `${acme.path}/connections`,
    body: { name: 'Own', protocol: 'oidc', oidc: sso.oidc },
  });
  await sso.require(admin, {
    method: 'DELETE',
    path: '/api/user/account',
    body: { confirm: admin.email, current_password: admin.password },
  });
  const start = `/api/auth/sso/${own.id}/start`;
  const { visitor, step } = await sso.signInAt(start, acme.someone());
  expect(step.location).toBe(sso.home);

  // A managed account is deleted with its organization’s tables; nothing refers to it.
  const { id, email } = (await profileOf(visitor)).body;
  await sso.require(acme.owner, {
    method: 'DELETE',
    path: `/api/organizations/${acme.id}/members/${id}`,
  });
  const recovered = await recover(sso.world, sso.gateway, email!);
  await sso.require(recovered, {
    ...{ method: 'DELETE', path: '/api/user/account', body: { confirm: email } },
  });
});

test('a connection signs in to existing accounts only if an Admin set it up, and to the Owner’s only if the Owner did', async () => {
  const acme = await sso.organization();
  const admin = await sso.join(acme.id, 'admin', [ADMIN]);
  const path = `${acme.path}/connections/${acme.connection.id}`;
  const again = { method: 'PATCH', path, body: { attributes: { first_name: 'nickname' } } };
  const ownerClaims = acme.someone({ email: acme.owner.email });
  expect((await acme.signIn(ownerClaims)).step.location).toBe(sso.home);

  await sso.require(admin, again);

  const { step } = await acme.signIn(ownerClaims);
  expect(step.location).toBe(sso.refused('account_not_linked'));
  const pat = await acme.signUp();
  const linked = await acme.signIn(acme.someone({ email: pat.email }));
  expect(linked.step.location).toBe(sso.home);

  const role = await sso.require<{ id: string }>(acme.owner, {
    path: `/api/organizations/${acme.id}/roles`,
    body: { name: 'SSO', permissions: ['can_update_organization_sso', 'can_view_organization'] },
  });
  const limited = await sso.join(acme.id, 'limited', [role.id]);
  const refusedEdit = await askPresent(limited, {
    ...{ method: 'PATCH', path, body: { attributes: { first_name: null } } },
  });
  expect(outcomeOf(refusedEdit)).toEqual([403, 'permission_denied']);
  const own = await sso.require<{ id: string }>(limited, {
    path: `${acme.path}/connections`,
    body: { name: 'Own', protocol: 'oidc', oidc: sso.oidc, role_ids: [role.id] },
  });
  const sam = await acme.signUp();
  const start = `/api/auth/sso/${own.id}/start`;
  const taken = await sso.signInAt(start, acme.someone({ email: sam.email }));
  expect(taken.step.location).toBe(sso.refused('account_not_linked'));
  expect((await sso.signInAt(start, acme.someone())).step.location).toBe(sso.home);
});

test('a connection gives only what its configurer has (G2)', async () => {
  const acme = await sso.organization();
  const role = await sso.require<{ id: string }>(acme.owner, {
    path: `/api/organizations/${acme.id}/roles`,
    body: { name: 'SSO', permissions: ['can_update_organization_sso', 'can_view_organization'] },
  });
  const limited = await sso.join(acme.id, 'limited', [role.id]);
  const create = (change: object) =>
    askPresent(limited, {
      path: `${acme.path}/connections`,
      body: { name: 'Own', protocol: 'oidc', oidc: sso.oidc, ...change },
    });
  expect(outcomeOf(await create({ role_ids: [ADMIN] }))).toEqual([422, 'permission_not_held']);
  const red = await createTeam(acme.owner, acme.id, 'red');
  const teams = [{ team_id: red.id }];
  expect(outcomeOf(await create({ teams }))).toEqual([422, 'unknown_team']);
  expect(outcomeOf(await create({ role_ids: [role.id] }))).toEqual([201]);
  const edit = (role_ids: string[]) =>
    askPresent(limited, {
      method: 'PATCH',
      path: `${acme.path}/connections/${acme.connection.id}`,
      body: { role_ids },
    });
  expect(outcomeOf(await edit([MEMBER, ADMIN]))).toEqual([422, 'permission_not_held']);
  expect(outcomeOf(await edit([role.id]))).toEqual([200]);
});

test('a role that a connection gives is in use, and its replacement is given instead', async () => {
  const acme = await sso.organization();
  const roles = `/api/organizations/${acme.id}/roles`;
  const draft = { permissions: ['can_view_organization'] };
  const create = (at: string, name: string, body: object = {}) =>
    sso.require<{ id: string }>(acme.owner, { path: at, body: { name, ...body } });
  const [old, next] = [await create(roles, 'Old', draft), await create(roles, 'Next', draft)];
  const red = await createTeam(acme.owner, acme.id, 'red');
  const shared = `/api/organizations/${acme.id}/team-roles`;
  const [oldSeat, nextSeat] = [await create(shared, 'Old'), await create(shared, 'Next')];
  await sso.require(acme.owner, {
    method: 'PATCH',
    path: `${acme.path}/connections/${acme.connection.id}`,
    body: { role_ids: [old.id], teams: [{ team_id: red.id, role_ids: [oldSeat.id] }] },
  });
  for (const [at, { id }, { id: to }] of [
    [roles, old, next],
    [shared, oldSeat, nextSeat],
  ] as const) {
    const refused = await askPresent(acme.owner, { method: 'DELETE', path: `${at}/${id}` });
    expect([...outcomeOf(refused), refused.body.errors?.[0]?.detail]).toEqual([
      ...[409, 'role_in_use'],
      { members: 0, invitations: 0, connections: 1 },
    ]);
    await sso.require(acme.owner, { method: 'DELETE', path: `${at}/${id}?replace_with=${to}` });
  }
  const { visitor, step } = await acme.signIn(acme.someone());
  expect(step.location).toBe(sso.home);
  const { membership } = (await organizationOf(visitor, acme.id)).body;
  expect(membership.roles.map(({ name }) => name)).toEqual(['Next']);
  const seats = await askPresent<{ data: { roles: { name: string }[] }[] }>(acme.owner, {
    path: `/api/organizations/${acme.id}/teams/${red.id}/members`,
  });
  expect(seats.body.data.flatMap((seat) => seat.roles.map(({ name }) => name))).toContain('Next');
});

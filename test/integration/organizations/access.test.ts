import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { memberRoutes, organizationRoutes } from '../../support/access/organization-routes.ts';
import { teamRoutes as teamTable } from '../../support/access/team-routes.ts';
import { createKey, goodPassword, newEmail, signUp } from '../../support/people/people.ts';
import type { SendRequest } from '../../support/people/people.ts';
import { ADMIN, createOrganization, outcomeOf } from '../../support/people/organizations.ts';
import type { Errors } from '../../support/people/organizations.ts';
import { createTeam, TEAM_ADMIN } from '../../support/people/teams.ts';
import { useOrganizations } from '../../support/worlds/use-organizations.ts';
import { contentRoutes } from './content-routes.ts';
import { absent, denied, interactiveOnly, unauthenticated, CALLER_KINDS } from './expected.ts';
import type { Expected } from './expected.ts';
import { clientRoutes } from './client-routes.ts';
import { keyRoutes } from './key-routes.ts';
import { roleRoutes } from './role-routes.ts';
import { ssoRoutes } from './sso-routes.ts';
import { teamRoutes } from './team-routes.ts';

const headers: Record<string, Record<string, string>> = {};
const { world, gateway, joins } = await useOrganizations();
const owner = await signUp(world, gateway, 'owner');
const acme = (await createOrganization(owner)).id;
const teamId = (await createTeam(owner, acme, 'red')).id;
const [admin, ordinaryMember, stranger] = [
  await signUp(world, gateway, 'admin'),
  await signUp(world, gateway, 'member'),
  await signUp(world, gateway, 'stranger'),
];
await joins.add(acme, admin, [ADMIN]);
await joins.add(acme, ordinaryMember);
const memberId = ordinaryMember.account_id;
Object.assign(headers, {
  ...{ anonymous: {}, key: { 'x-api-key': (await createKey(owner)).secret } },
  ...{ stranger: stranger.bearer, member: ordinaryMember.bearer },
  ...{ admin: admin.bearer, owner: owner.bearer },
});

const organization = '/api/organizations/{organization_id}';
const organizationPath = (path: string) => `${organization}${path}`;
const member = organizationPath('/members/{account_id}');
const refusals = { anonymous: unauthenticated, key: absent, stranger: absent, member: denied };
/** Expected responses about something that does not exist: the 404 precedes a 403. */
const notFound = { ...refusals, member: absent, admin: absent, owner: absent };

/** Requests that change nothing, and their expected responses. */
const routes: [request: SendRequest, expected: Expected][] = [
  [
    { path: '/api/organizations' },
    {
      anonymous: unauthenticated,
      key: [200],
      stranger: [200],
      member: [200],
      admin: [200],
      owner: [200],
    },
  ],
  [
    { path: organization },
    {
      anonymous: unauthenticated,
      key: absent,
      stranger: absent,
      member: [200],
      admin: [200],
      owner: [200],
    },
  ],
  [
    { method: 'PATCH', path: organization, body: {} },
    { ...refusals, admin: [200], owner: [200] },
  ],
  [
    {
      method: 'DELETE',
      path: organization,
      body: { confirm: 'Something else', current_password: goodPassword },
    },
    {
      ...{
        anonymous: unauthenticated,
        key: interactiveOnly,
        stranger: absent,
        member: denied,
        admin: denied,
      },
      owner: [422, 'confirmation_mismatch'],
    },
  ],
  ...['audit', 'billing', 'calls', 'invitations', 'members', 'roles', 'team-roles', 'usage'].map(
    (name): (typeof routes)[number] => [
      { path: organizationPath(`/${name}`) },
      { ...refusals, admin: [200], owner: [200] },
    ],
  ),
  [
    { method: 'PATCH', path: organizationPath('/billing'), body: {} },
    {
      ...{
        anonymous: unauthenticated,
        key: interactiveOnly,
        stranger: absent,
        member: denied,
        admin: denied,
      },
      owner: [200],
    },
  ],
  [
    {
      path: organizationPath('/invitations'),
      ...{ method: 'POST', body: { email: newEmail(), role_ids: [randomUUID()] } },
    },
    { ...refusals, admin: [422, 'unknown_role'], owner: [422, 'unknown_role'] },
  ],
  [{ method: 'DELETE', path: organizationPath('/invitations/{invitation_id}') }, notFound],
  [{ method: 'POST', path: organizationPath('/invitations/{invitation_id}/resend') }, notFound],
  [
    { method: 'PATCH', path: member, body: { role_ids: [randomUUID()] } },
    { ...refusals, admin: [422, 'unknown_role'], owner: [422, 'unknown_role'] },
  ],
  [
    { method: 'DELETE', path: organizationPath('/members/{owner}') },
    { ...refusals, admin: denied, owner: [422, 'last_owner'] },
  ],
  [
    {
      ...{ method: 'POST', path: organizationPath('/transfer-ownership') },
      body: { account_id: randomUUID(), current_password: goodPassword },
    },
    {
      ...{
        anonymous: unauthenticated,
        key: interactiveOnly,
        stranger: absent,
        member: denied,
        admin: denied,
      },
      owner: [422, 'not_a_member'],
    },
  ],
  [{ path: organizationPath('/mcp-settings') }, { ...refusals, admin: [200], owner: [200] }],
  [
    {
      ...{ method: 'PUT', path: organizationPath('/mcp-settings') },
      body: {
        ...{ tools: [], organization_wide_tools: [] },
        ...{ platform_prompts: [], organization_wide_prompts: [] },
      },
    },
    { ...refusals, admin: [200], owner: [200] },
  ],
  ...roleRoutes,
  ...teamRoutes,
  ...keyRoutes,
  ...clientRoutes,
  ...ssoRoutes,
  ...contentRoutes,
];

const withIds = (request: SendRequest, id: string, ids: Record<string, string> = {}) => ({
  ...request,
  path: Object.entries({
    organization_id: id,
    account_id: memberId,
    owner: owner.account_id,
    role_id: ADMIN,
    team_id: teamId,
    team_role_id: TEAM_ADMIN,
    invitation_id: randomUUID(),
    key_id: randomUUID(),
    id: randomUUID(),
    version: '1',
    ...ids,
  }).reduce((path, [name, value]) => path.replace(`{${name}}`, value), request.path),
});
const sendAs = (request: SendRequest, who: string) =>
  owner.person.ask<Errors>({ ...request, headers: headers[who]! });

test.each(routes)(
  '%o checks authentication (401), then visibility (404), then the permission (403)',
  async (...row) => {
    const [request, expected] = row;
    for (const who of CALLER_KINDS) {
      const answer = await sendAs(withIds(request, acme), who);
      expect([who, ...outcomeOf(answer)]).toEqual([who, ...expected[who]]);
    }
  },
);

test.each(routes.filter(([{ path }]) => path.includes('{')))(
  '%o: an unknown, malformed or foreign organization id gets the same 404 (rel:B2-10)',
  async (request, { key }) => {
    const foreign = await sendAs(withIds(request, acme), 'stranger');
    for (const id of [randomUUID(), 'no-id'])
      for (const who of ['stranger', 'owner']) {
        const answer = await sendAs(withIds(request, id), who);
        expect([answer.status, answer.body]).toEqual([404, foreign.body]);
      }
    // The response to a key does not depend on the organization in the path.
    expect(outcomeOf(await sendAs(withIds(request, randomUUID()), 'key'))).toEqual(key);
  },
);

test.each(routes.filter(([{ body }]) => body !== undefined))(
  '%o: a malformed body gets a 400, which precedes the 404',
  async (request) => {
    const body = {
      ...{ name: 7, confirm: 7, role_ids: 7, account_id: 7, mode: 7, tools: 7 },
      ...{ path: 7, pin: 7, document: 7, contact: 7, grants: 7 },
      ...{ enforced: 7, domain: 7, return_path: 7, current_password: 7 },
    };
    const broken = { ...withIds(request, acme), body };
    expect((await sendAs(broken, 'stranger')).status).toBe(400);
    expect((await sendAs({ ...broken, body: [] }, 'member')).status).toBe(400);
  },
);

test('every route of an organization is in this table, or in those of access/', async () => {
  const answer = await fetch(`${owner.person.url}/api/openapi.json`);
  const { paths } = (await answer.json()) as { paths: Record<string, object> };
  const served = Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/organizations/'))
    .flatMap(([path, methods]) =>
      Object.keys(methods)
        .filter((method) => method !== 'parameters')
        .map((method) => `${method} ${path}`),
    );
  const named = routes.map(([{ method = 'GET', path }]) => {
    const declared = path.replace('{owner}', '{account_id}').replace('{team_role_id}', '{role_id}');
    return `${method.toLowerCase()} ${declared.replace(/\?.*/, '')}`;
  });
  const inTables = [...organizationRoutes, ...memberRoutes, ...teamTable].map(({ route }) =>
    route.replace(/^\w+/, (method) => method.toLowerCase()),
  );
  const known = new Set([...named, ...inTables]);
  expect(served.filter((route) => !known.has(route))).toEqual([]);
});

test.each(routes.filter(([{ path }]) => /account_id|role_id|team_id/.test(path)))(
  '%o: an unknown member, role or team gets a 404, which precedes the 403',
  async (request) => {
    for (const id of [randomUUID(), 'no-id', owner.account_id.replace(/^./, 'g')]) {
      const names = ['account_id', 'role_id', 'team_id', 'team_role_id'];
      const unknownRequest = withIds(
        request,
        acme,
        Object.fromEntries(names.map((name) => [name, id])),
      );
      for (const who of ['member', 'admin', 'owner'])
        expect([who, ...outcomeOf(await sendAs(unknownRequest, who))]).toEqual([who, ...absent]);
    }
  },
);

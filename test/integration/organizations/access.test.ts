import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createKey,
  goodPassword,
  newEmail,
  oneAddress,
  signUp,
} from '../../support/people/people.ts';
import type { SendRequest, SignedUp } from '../../support/people/people.ts';
import {
  ADMIN,
  createJoins,
  createOrganization,
  outcomeOf,
} from '../../support/people/organizations.ts';
import type { Errors, Joins } from '../../support/people/organizations.ts';
import { createTeam, TEAM_ADMIN } from '../../support/people/teams.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { World } from '../../support/worlds/world.ts';

let world: World;
let joins: Joins;
let owner: SignedUp;
const headers: Record<string, Record<string, string>> = {};
let acme: string;
let teamId: string;
let memberId: string;
beforeAll(async () => {
  world = await createWorld(oneAddress);
  const gateway = await world.gateway();
  joins = await createJoins(gateway);
  owner = await signUp(world, gateway, 'owner');
  acme = (await createOrganization(owner)).id;
  teamId = (await createTeam(owner, acme, 'red')).id;
  const [admin, someone, stranger] = [
    await signUp(world, gateway, 'admin'),
    await signUp(world, gateway, 'member'),
    await signUp(world, gateway, 'stranger'),
  ];
  await joins.add(acme, admin, [ADMIN]);
  await joins.add(acme, someone);
  memberId = someone.account_id;
  const key = await createKey(owner);
  Object.assign(headers, {
    nobody: {},
    key: { 'x-api-key': key.secret },
    ...{ stranger: stranger.bearer, member: someone.bearer },
    ...{ admin: admin.bearer, owner: owner.bearer },
  });
});
afterAll(async () => {
  await joins?.close();
  await world?.close();
});

const WHO = ['nobody', 'key', 'stranger', 'member', 'admin', 'owner'] as const;
type Expected = Record<(typeof WHO)[number], (number | string)[]>;
const none = [401, 'authentication_required'];
const keyless = [403, 'interactive_only'];
const absent = [404, 'not_found'];
const denied = [403, 'permission_denied'];

const organization = '/api/organizations/{organization_id}';
const below = (path: string) => `${organization}${path}`;
const member = below('/members/{account_id}');
const role = below('/roles/{role_id}');
const team = below('/teams/{team_id}');
const seat = `${team}/members/{account_id}`;
const refusals = { nobody: none, key: absent, stranger: absent, member: denied };
const sharedRole = below('/team-roles/{team_role_id}');
const ownRole = `${team}/roles/{team_role_id}`;
const outside = { ...refusals, member: absent };
/** Answers about something that does not exist: 404 comes before 403. */
const nowhere = { ...outside, admin: absent, owner: absent };

/** Requests that change nothing, and their answers. */
const routes: [request: SendRequest, expected: Expected][] = [
  [
    { path: '/api/organizations' },
    { nobody: none, key: [200], stranger: [200], member: [200], admin: [200], owner: [200] },
  ],
  [
    { path: organization },
    { nobody: none, key: absent, stranger: absent, member: [200], admin: [200], owner: [200] },
  ],
  [
    { method: 'PATCH', path: organization, body: {} },
    { ...refusals, admin: [200], owner: [200] },
  ],
  [
    { method: 'DELETE', path: organization, body: { confirm: 'Something else' } },
    {
      ...{ nobody: none, key: keyless, stranger: absent, member: denied, admin: denied },
      owner: [422, 'confirmation_mismatch'],
    },
  ],
  [{ path: below('/members') }, { ...refusals, admin: [200], owner: [200] }],
  [{ path: below('/invitations') }, { ...refusals, admin: [200], owner: [200] }],
  [
    {
      path: below('/invitations'),
      ...{ method: 'POST', body: { email: newEmail(), role_ids: [randomUUID()] } },
    },
    { ...refusals, admin: [422, 'unknown_role'], owner: [422, 'unknown_role'] },
  ],
  [{ method: 'DELETE', path: below('/invitations/{invitation_id}') }, nowhere],
  [{ method: 'POST', path: below('/invitations/{invitation_id}/resend') }, nowhere],
  [
    { method: 'PATCH', path: member, body: { role_ids: [randomUUID()] } },
    { ...refusals, admin: [422, 'unknown_role'], owner: [422, 'unknown_role'] },
  ],
  [
    { method: 'DELETE', path: below('/members/{owner}') },
    { ...refusals, admin: denied, owner: [422, 'last_owner'] },
  ],
  [
    {
      ...{ method: 'POST', path: below('/transfer-ownership') },
      body: { account_id: randomUUID(), current_password: goodPassword },
    },
    {
      ...{ nobody: none, key: keyless, stranger: absent, member: denied, admin: denied },
      owner: [422, 'not_a_member'],
    },
  ],
  [{ path: below('/roles') }, { ...refusals, admin: [200], owner: [200] }],
  [
    { method: 'POST', path: below('/roles'), body: { name: 'admin' } },
    { ...refusals, admin: [409, 'name_taken'], owner: [409, 'name_taken'] },
  ],
  [{ path: role }, { ...refusals, admin: [200], owner: [200] }],
  [
    { method: 'PATCH', path: role, body: { name: 'Mine' } },
    { ...refusals, admin: [422, 'system_role'], owner: [422, 'system_role'] },
  ],
  [
    { method: 'DELETE', path: role },
    { ...refusals, admin: [422, 'system_role'], owner: [422, 'system_role'] },
  ],
  [{ path: below('/teams') }, { ...refusals, member: [200], admin: [200], owner: [200] }],
  [
    { method: 'POST', path: below('/teams'), body: { name: 'red' } },
    { ...refusals, admin: [409, 'name_taken'], owner: [409, 'name_taken'] },
  ],
  // To a member without a seat, a team is absent; an Admin may manage every team.
  [{ path: team }, { ...outside, admin: [200], owner: [200] }],
  [
    { method: 'PATCH', path: team, body: {} },
    { ...outside, admin: [200], owner: [200] },
  ],
  [
    { method: 'DELETE', path: team, body: { confirm: 'Something else' } },
    {
      ...outside,
      ...{ admin: [422, 'confirmation_mismatch'], owner: [422, 'confirmation_mismatch'] },
    },
  ],
  [{ path: `${team}/members` }, { ...outside, admin: [200], owner: [200] }],
  [
    { method: 'POST', path: `${team}/members`, body: { account_id: randomUUID() } },
    { ...outside, admin: [422, 'not_a_member'], owner: [422, 'not_a_member'] },
  ],
  [
    { method: 'PATCH', path: seat.replace('account_id', 'owner'), body: { role_ids: [ADMIN] } },
    { ...outside, admin: [422, 'unknown_role'], owner: [422, 'unknown_role'] },
  ],
  [
    { method: 'DELETE', path: seat },
    { ...outside, admin: absent, owner: absent },
  ],
  ...['tool', 'resource', 'prompt', 'agent'].flatMap((family): typeof routes => [
    [{ path: `${team}/policies/${family}` }, { ...outside, admin: [200], owner: [200] }],
    [
      { method: 'PUT', path: `${team}/policies/${family}`, body: { mode: 'all' } },
      { ...outside, admin: [200], owner: [200] },
    ],
  ]),
  [{ path: below('/mcp-settings') }, { ...refusals, admin: [200], owner: [200] }],
  [
    { method: 'PUT', path: below('/mcp-settings'), body: { tools: [] } },
    { ...refusals, admin: [200], owner: [200] },
  ],
  [{ path: below('/team-roles') }, { ...refusals, admin: [200], owner: [200] }],
  [
    { method: 'POST', path: below('/team-roles'), body: { name: 'TEAM_ADMIN' } },
    { ...refusals, admin: [409, 'name_taken'], owner: [409, 'name_taken'] },
  ],
  [{ path: sharedRole }, { ...refusals, admin: [200], owner: [200] }],
  [
    { method: 'PATCH', path: sharedRole, body: { name: 'Mine' } },
    { ...refusals, admin: [422, 'system_role'], owner: [422, 'system_role'] },
  ],
  [
    { method: 'DELETE', path: sharedRole },
    { ...refusals, admin: [422, 'system_role'], owner: [422, 'system_role'] },
  ],
  [{ path: `${team}/roles` }, { ...outside, admin: [200], owner: [200] }],
  [
    { method: 'POST', path: `${team}/roles`, body: { name: 'team_admin' } },
    { ...outside, admin: [409, 'name_taken'], owner: [409, 'name_taken'] },
  ],
  [{ path: ownRole }, { ...outside, admin: [200], owner: [200] }],
  [
    { method: 'PATCH', path: ownRole, body: { name: 'Mine' } },
    { ...outside, admin: [422, 'system_role'], owner: [422, 'system_role'] },
  ],
  [
    { method: 'DELETE', path: ownRole },
    { ...outside, admin: [422, 'system_role'], owner: [422, 'system_role'] },
  ],
];

const filled = (request: SendRequest, id: string, ids: Record<string, string> = {}) => ({
  ...request,
  path: Object.entries({
    organization_id: id,
    account_id: memberId,
    owner: owner.account_id,
    role_id: ADMIN,
    team_id: teamId,
    team_role_id: TEAM_ADMIN,
    invitation_id: randomUUID(),
    ...ids,
  }).reduce((path, [name, value]) => path.replace(`{${name}}`, value), request.path),
});
const ask = (request: SendRequest, who: string) =>
  owner.person.ask<Errors>({ ...request, headers: headers[who]! });

test.each(routes)('%o answers each kind of caller in the order 401, 404, 403', async (...row) => {
  const [request, expected] = row;
  for (const who of WHO) {
    const answer = await ask(filled(request, acme), who);
    expect([who, ...outcomeOf(answer)]).toEqual([who, ...expected[who]]);
  }
});

test.each(routes.filter(([{ path }]) => path.includes('{')))(
  '%o: an organization that is not there, malformed or foreign is the same 404 (rel:B2-10)',
  async (request, { key }) => {
    const foreign = await ask(filled(request, acme), 'stranger');
    for (const id of [randomUUID(), 'no-id'])
      for (const who of ['stranger', 'owner']) {
        const answer = await ask(filled(request, id), who);
        expect([answer.status, answer.body]).toEqual([404, foreign.body]);
      }
    // A key gets what its grants allow, whatever the path names.
    expect(outcomeOf(await ask(filled(request, randomUUID()), 'key'))).toEqual(key);
  },
);

test.each(routes.filter(([{ body }]) => body !== undefined))(
  '%o: a malformed body is a 400 before the 404',
  async (request) => {
    const body = { name: 7, confirm: 7, role_ids: 7, account_id: 7, mode: 7, tools: 7 };
    const broken = { ...filled(request, acme), body };
    expect((await ask(broken, 'stranger')).status).toBe(400);
    expect((await ask({ ...broken, body: [] }, 'member')).status).toBe(400);
  },
);

test('every route below an organization is in this table', async () => {
  const answer = await fetch(`${owner.person.url}/api/openapi.json`);
  const { paths } = (await answer.json()) as { paths: Record<string, object> };
  const served = Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/organizations/'))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`));
  const listed = routes.map(([{ method = 'GET', path }]) => `${method.toLowerCase()} ${path}`);
  const named = listed.map((route) =>
    route.replace('{owner}', '{account_id}').replace('{team_role_id}', '{role_id}'),
  );
  expect(served.filter((route) => !named.includes(route))).toEqual([]);
});

test.each(routes.filter(([{ path }]) => /account_id|role_id|team_id/.test(path)))(
  '%o: a member, role or team that is not there is a 404 before the 403',
  async (request) => {
    for (const id of [randomUUID(), 'no-id', owner.account_id.replace(/^./, 'g')]) {
      const gone = filled(request, acme, {
        account_id: id,
        role_id: id,
        team_id: id,
        team_role_id: id,
      });
      for (const who of ['member', 'admin', 'owner'])
        expect([who, ...outcomeOf(await ask(gone, who))]).toEqual([who, ...absent]);
    }
  },
);

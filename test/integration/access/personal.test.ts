import { expect, test } from 'vitest';
import {
  personalPermissionByGrant,
  scopeClosure,
  scopesIn,
} from '../../../src/authz/permissions.ts';
import { accountRoutes } from '../../support/access/account-routes.ts';
import { memberRoutes, organizationRoutes } from '../../support/access/organization-routes.ts';
import { names, ungrantable } from '../../support/access/permissions.ts';
import { personalRoutes } from '../../support/access/personal-routes.ts';
import { teamRoutes } from '../../support/access/team-routes.ts';
import { createAcme } from './acme.ts';
import { CAPABILITIES } from '../organizations/union.ts';
import { deviations } from './matrix.ts';
import type { Caller } from './matrix.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const keys = {} as Record<'personal' | 'scoped', { id: string; headers: Record<string, string> }>;
const acme = await closeAfterTests(createAcme());
const { owner } = acme.people;
keys.personal = await acme.keyOf(owner, {});
keys.scoped = await acme.keyOf(owner, { org_scope: acme.acme });
const scopes = [...scopesIn('personal')];
const connection = await acme.oauth.authorize(await acme.oauth.client({ owner, scopes }), owner);

const none = {
  person: 'owner',
  personal: null,
  organization: null,
  inTeam: false,
  teams: [],
} as const;
const everything = [...names.organization, ...names.team];
/** Routes of a person's account, which no key can use, and a list of the caller's organizations. */
const account = accountRoutes.filter(({ needs }) => needs !== 'public');
const inOrganizations = [...organizationRoutes, ...memberRoutes, ...teamRoutes];

/** Returns a token with the capabilities and these permissions. */
async function tokenWith(permissions: readonly string[]): Promise<Caller> {
  const scopeOf = (name: string) => personalPermissionByGrant(name)?.scope ?? name;
  const scope = scopeClosure([
    ...CAPABILITIES.map((capability) => `mcp_${capability}`),
    ...permissions.map(scopeOf),
  ]);
  const token = await acme.oauth.token(connection, { scope: scope.join(' ') });
  return {
    ...{ ...none, kind: 'connection', name: 'a personal token', personal: permissions },
    headers: { authorization: `Bearer ${token}` },
  };
}

async function holding(permissions: readonly string[]): Promise<Caller[]> {
  const grants = [{ scope: { type: 'personal' }, permissions }];
  for (const { id } of Object.values(keys))
    await acme.requireSuccess(owner, {
      method: 'PATCH',
      path: `/api/keys/${id}`,
      body: { grants },
    });
  const caller = { ...none, kind: 'key', personal: permissions } as const;
  return [
    await tokenWith(permissions),
    { ...caller, ...keys.personal, name: 'a personal key' },
    { ...caller, ...keys.scoped, name: 'a key that runs in an organization' },
  ];
}

test.each(names.personal)(
  'a key or token with only %s can use exactly the routes of a personal space that require it',
  async (permission) => {
    const callers = await holding([permission]);

    expect(await deviations(acme, personalRoutes, callers)).toEqual([]);
  },
  300_000,
);

test.each(ungrantable)(
  'a token with only %s can use exactly the routes of a personal space that require it',
  async (scope) => {
    expect(await deviations(acme, personalRoutes, [await tokenWith([scope])])).toEqual([]);
  },
);

test('all personal permissions together give access to no route of an organization', async () => {
  const callers = await holding(names.personal);

  expect(await deviations(acme, inOrganizations, callers)).toEqual([]);
});

test('all permissions in an organization together give access to no route of a personal space', async () => {
  const grants = [{ scope: { type: 'org', org_id: acme.acme }, permissions: everything }];
  const key = await acme.keyOf(acme.people.owner, { grants });
  const scoped = await acme.keyOf(acme.people.owner, { grants, org_scope: acme.acme });
  const service = await acme.organizationKey({ grants });
  const fields = { owner: { organization_id: acme.acme }, scopes: [...scopesIn('organization')] };
  const delegated = await acme.oauth.authorize(await acme.oauth.client(fields), acme.people.owner);
  const machine = await acme.oauth.machine(
    await acme.oauth.client({ ...fields, grant_types: ['client_credentials'] }),
  );
  const bearerOf = async (id: string) => ({
    headers: { authorization: `Bearer ${await acme.oauth.token(id)}` },
  });
  const callers: Caller[] = [
    { ...none, ...key, kind: 'key', name: 'a personal key' },
    { ...none, ...scoped, kind: 'key', name: 'a key that runs in an organization' },
    { ...none, ...service, kind: 'organization-key', name: 'an organization’s key' },
    { ...none, ...(await bearerOf(delegated)), kind: 'connection', name: 'a token' },
    { ...none, ...(await bearerOf(machine)), kind: 'machine', name: 'a machine’s token' },
  ];

  expect(await deviations(acme, [...personalRoutes, ...account], callers)).toEqual([]);
});

test('a session can use every route of its personal space; a request without a credential can use none', async () => {
  const callers: Caller[] = [
    { ...none, kind: 'session', name: 'a session', headers: owner.bearer },
    { ...none, kind: 'anonymous', name: 'no credential', headers: {} },
  ];

  expect(await deviations(acme, personalRoutes, callers)).toEqual([]);
  expect(await deviations(acme, account, callers.slice(1))).toEqual([]);
});

test('without a grant for an organization every credential gets a 404 there, like a stranger', async () => {
  const { stranger } = acme.people;
  const callers: Caller[] = [
    { ...none, kind: 'anonymous', name: 'no credential', headers: {} },
    { ...none, kind: 'session', name: 'a stranger', headers: stranger.bearer },
    { ...none, kind: 'key', name: 'a key without grants', ...(await acme.keyOf(owner, {})) },
    {
      ...{ ...none, kind: 'key', name: 'a key without grants that runs there' },
      ...(await acme.keyOf(owner, { org_scope: acme.acme })),
    },
    {
      ...{ ...none, kind: 'organization-key', name: 'an organization’s key without grants' },
      ...(await acme.organizationKey({})),
    },
  ];

  expect(await deviations(acme, inOrganizations, callers)).toEqual([]);
});

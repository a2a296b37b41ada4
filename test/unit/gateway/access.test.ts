import { describe, expect, test } from 'vitest';
import { permissions } from '../../../src/authz/permissions.ts';
import type { Access, ObjectAccess } from '../../../src/caller/access.ts';
import type { Principal } from '../../../src/caller/principal.ts';
import { createRequireAccess, requireDeclaredAccess } from '../../../src/gateway/rest/access.ts';
import { absent, isRefusal } from '../../../src/platform/errors/refusal.ts';

const principalOf = (
  kind: Principal['credential']['kind'],
  person: string | null,
  context: string,
  organization: Principal['organization'] = { id: 'acme', status: 'active', plan: 'free' },
) => ({ credential: { kind, id: 'c' }, person, context, organization }) as unknown as Principal;
const session = principalOf('session', 'ada', 'account:ada');
const key = principalOf('api_key', 'ada', 'account:ada');
const scopedKey = principalOf('api_key', 'ada', 'membership:acme.ada');
const orgKey = principalOf('org_key', null, 'service:acme.c');

/** Returns `passes` or the refusal of a request when OpenFGA holds these relations. */
async function outcome(
  principal: Principal,
  access: Access,
  { holds = [], isThere = true }: { holds?: string[]; isThere?: boolean } = {},
) {
  const checked: string[] = [];
  const requireAccess = createRequireAccess({
    async check(_principal, relations, object) {
      checked.push(...relations.map((relation) => `${object}#${relation}`));
      return new Map(relations.map((one) => [one, holds.includes(`${object}#${one}`)]));
    },
    grantName: (on, relation) => `grant of ${on} ${relation}`,
  });
  const answer = await requireAccess({
    ...{ principal, access, params: { organization_id: 'acme', team_id: 'red' } },
    async requireObject() {
      if (!isThere) throw absent();
    },
    onAsked: () => {},
  }).catch((error: unknown) => error);
  if (answer === undefined) return 'passes';
  if (!isRefusal(answer)) throw answer;
  const { kind, detail } = answer as { kind: string; detail?: { permission?: string } };
  return detail?.permission === undefined ? kind : `${kind} ${detail.permission}`;
}

const personal: Access = { on: 'account', permission: 'tools_read' };
const organization: Access = { on: 'organization', permission: 'members_read' };
const team: Access = { on: 'team', permission: 'tools_read' };

describe('checks run in order: object visible, object exists, permission present', () => {
  test.each<[string, Principal, Access, string[], string, string]>([
    ['account', key, personal, [], 'unauthenticated', 'unauthenticated'],
    ['account', orgKey, personal, [], 'unauthenticated', 'unauthenticated'],
    [
      'account',
      scopedKey,
      personal,
      ['account:ada#can_see'],
      'forbidden grant of account tools_read',
      'absent',
    ],
    ['organization', session, organization, [], 'absent', 'absent'],
    ['organization', orgKey, organization, ['service:other.c#can_see'], 'absent', 'absent'],
    [
      'organization',
      key,
      organization,
      ['membership:acme.ada#can_see'],
      'forbidden grant of organization members_read',
      'absent',
    ],
    ['team', session, team, [], 'absent', 'absent'],
    ['team', key, team, ['membership:acme.ada#can_see'], 'absent', 'absent'],
    [
      'team',
      key,
      team,
      ['membership:acme.ada#can_see', 'team_seat:red.ada#active'],
      'forbidden grant of team tools_read',
      'absent',
    ],
    [
      'team',
      session,
      team,
      ['membership:acme.ada#can_see'],
      'forbidden grant of team tools_read',
      'absent',
    ],
  ])('on %s %#', async (_on, principal, access, holds, there, notThere) => {
    expect(await outcome(principal, access, { holds })).toBe(there);
    expect(await outcome(principal, access, { holds, isThere: false })).toBe(notThere);
  });
});

test.each<[string, Principal, Access, string[]]>([
  ['a personal grant', key, personal, ['account:ada#can_see', 'account:ada#can_tools_read']],
  ['any personal grant', key, { on: 'account', permission: 'see' }, ['account:ada#can_see']],
  [
    'the personal grant of a key that runs in an organization',
    scopedKey,
    personal,
    ['account:ada#can_see', 'account:ada#can_tools_read'],
  ],
  [
    'a membership',
    session,
    organization,
    ['membership:acme.ada#can_see', 'membership:acme.ada#can_members_read'],
  ],
  [
    'a service',
    orgKey,
    organization,
    ['service:acme.c#can_see', 'service:acme.c#can_members_read'],
  ],
  [
    'an active credential of a team',
    orgKey,
    team,
    ['service:acme.c#can_see', 'team_seat:red.c#active', 'team_seat:red.c#can_tools_read'],
  ],
  [
    'a session with a seat',
    session,
    team,
    ['membership:acme.ada#can_see', 'team_seat:red.ada#can_tools_read'],
  ],
  [
    'a session that manages every team',
    session,
    team,
    ['membership:acme.ada#can_see', 'membership:acme.ada#can_manage_every_team'],
  ],
])(
  '%s with the permission passes; without any one of its relations it is refused',
  async (...row) => {
    const [, principal, access, holds] = row;
    expect(await outcome(principal, access, { holds })).toBe('passes');
    for (const missing of holds) {
      const rest = holds.filter((one) => one !== missing);
      expect(await outcome(principal, access, { holds: rest })).not.toBe('passes');
    }
  },
);

test('on a route without a permission, a session sees a team if the route finds it', async () => {
  const see: Access = { on: 'team', permission: 'see' };
  const member = ['membership:acme.ada#can_see'];
  const manager = [...member, 'membership:acme.ada#can_manage_every_team'];

  expect(await outcome(session, see, { holds: member })).toBe('passes');
  expect(await outcome(session, see, { holds: member, isThere: false })).toBe('absent');
  expect(await outcome(session, see, { holds: manager })).toBe('passes');
  expect(await outcome(session, see)).toBe('absent');
  expect(await outcome(key, see, { holds: [...member, 'team_seat:red.ada#active'] })).toBe(
    'passes',
  );
  expect(await outcome(key, see, { holds: member })).toBe('absent');
});

test.each<[string, Principal, string[]]>([
  [
    'an owner who manages every team',
    session,
    ['membership:acme.ada#can_see', 'membership:acme.ada#can_manage_every_team'],
  ],
  [
    'a key that is active on it and holds the permission there',
    key,
    ['membership:acme.ada#can_see', 'team_seat:red.ada#active', 'team_seat:red.ada#can_tools_read'],
  ],
])('a team outside the organization in the path is absent to %s', async (...row) => {
  const [, principal, holds] = row;
  expect(await outcome(principal, team, { holds })).toBe('passes');
  expect(await outcome(principal, team, { holds, isThere: false })).toBe('absent');
  const see: Access = { on: 'team', permission: 'see' };
  expect(await outcome(principal, see, { holds, isThere: false })).toBe('absent');
});

test.each<Access>([
  { on: 'account', permission: 'tools_promote' },
  { on: 'organization', permission: 'tools_promote' },
  { on: 'team', permission: 'billing_read' },
  { on: 'team', permission: 'can_tools_read' },
])('a route that declares a permission its object does not have fails at start: %o', (access) => {
  const route = { path: '/api/x', access, object: async () => {} };
  expect(() => requireDeclaredAccess(route)).toThrow('does not have');
});

test('a route may declare every permission of the table', () => {
  for (const scope of ['personal', 'organization', 'team'] as const)
    for (const { relation } of permissions[scope]) {
      const on: ObjectAccess['on'] = scope === 'personal' ? 'account' : scope;
      const route = {
        path: '/api/x',
        access: { on, permission: relation },
        object: async () => {},
      };
      expect(() => requireDeclaredAccess(route)).not.toThrow();
    }
});

test('the right to manage every team does not apply to a key', async () => {
  const holds = ['membership:acme.ada#can_see', 'membership:acme.ada#can_manage_every_team'];
  expect(await outcome(key, team, { holds })).toBe('absent');
});

test.each(['manage_account', 'manage_keys'] as const)(
  'a session needs can_%s on its own account, checked after the object is found',
  async (interactive) => {
    const holds = [`account:ada#can_${interactive}`];
    expect(await outcome(session, { interactive }, { holds })).toBe('passes');
    expect(await outcome(session, { interactive })).toBe(`forbidden can_${interactive}`);
    expect(await outcome(session, { interactive }, { isThere: false })).toBe('absent');
    expect(await outcome(key, { interactive }, { holds })).toBe('forbidden');
  },
);

describe('in an organization', () => {
  const member = 'membership:acme.ada#can_see';
  const inOrganization = (state: Principal['organization']) =>
    principalOf('session', 'ada', 'account:ada', state);
  const deleting: Access = { interactive: 'organization', permission: 'delete' };

  test('a principal whose scopes were not read for that organization gets 404', async () => {
    const holds = [member, 'membership:acme.ada#can_members_read'];
    for (const elsewhere of [null, { id: 'other', status: 'active', plan: 'free' } as const])
      expect(await outcome(inOrganization(elsewhere), organization, { holds })).toBe('absent');
  });

  test('an Owner permission requires a session, and 404 comes before 403', async () => {
    const holds = [member, 'membership:acme.ada#can_delete'];
    expect(await outcome(session, deleting, { holds })).toBe('passes');
    expect(await outcome(session, deleting, { holds: [member] })).toBe(
      'forbidden grant of organization delete',
    );
    expect(await outcome(session, deleting)).toBe('absent');
    expect(await outcome(key, deleting, { holds })).toBe('forbidden');
    expect(() => requireDeclaredAccess({ path: '/api/x', access: deleting })).not.toThrow();
    expect(() =>
      requireDeclaredAccess({
        path: '/api/x',
        access: { on: 'organization', permission: 'delete' },
      }),
    ).toThrow('does not have');
  });

  test('a suspended organization refuses its members, except on routes that stay open', async () => {
    const suspended = inOrganization({ id: 'acme', status: 'suspended', plan: 'free' });
    const holds = [
      member,
      'membership:acme.ada#can_members_read',
      'membership:acme.ada#can_delete',
    ];
    expect(await outcome(suspended, organization, { holds })).toBe('forbidden');
    expect(await outcome(suspended, deleting, { holds })).toBe('forbidden');
    expect(await outcome(suspended, { ...deleting, suspended: 'allowed' }, { holds })).toBe(
      'passes',
    );
    expect(await outcome(suspended, organization)).toBe('absent');
    expect(await outcome(suspended, personal, { holds: ['account:ada#can_see'] })).toBe(
      'forbidden grant of account tools_read',
    );
  });
});

test('an ownership route checks no permission, but needs a session', async () => {
  expect(await outcome(session, { interactive: 'ownership' })).toBe('passes');
  expect(await outcome(key, { interactive: 'ownership' })).toBe('forbidden');
});

test.each<[string, Access, boolean]>([
  ['/api/me/tools/{id}', personal, true],
  ['/api/keys/{key_id}', { interactive: 'manage_keys' }, true],
  ['/api/organizations/{organization_id}/teams/{team_id}/tools', team, true],
  ['/api/organizations/{organization_id}/members', organization, false],
  ['/api/keys/{key_id}', { interactive: 'ownership' }, false],
  ['/api/me/tools', personal, false],
])('%s must declare an object where its access needs one: %#', (path, access, isNeeded) => {
  const declare = (object?: unknown) => () => requireDeclaredAccess({ path, access, object });
  if (isNeeded) expect(declare()).toThrow('declares no object');
  else expect(declare()).not.toThrow();
  expect(declare(async () => {})).not.toThrow();
});

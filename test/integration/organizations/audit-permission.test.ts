import { expect, test } from 'vitest';
import { scopesIn } from '../../../src/authz/permissions.ts';
import { createConnectionsSupport } from '../../support/people/connections.ts';
import {
  ADMIN,
  askAs,
  createRole,
  driftOf,
  MEMBER,
  outcomeOf,
} from '../../support/people/organizations.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createTeam } from '../../support/people/teams.ts';
import { scopedKeys } from '../keys/scoped-keys.ts';

const AUDIT = 'can_view_organization_audit';
const UPDATE = 'can_update_organization';

const teams = await useTeams();
const oauth = await closeAfterTests(createConnectionsSupport(teams.world, teams.gateway));
const acme = await teams.organization();
const auditor = await joinWith('auditor', [AUDIT]);
/** May do all that has a scope, and nothing else. */
const manager = await joinWith('manager', [
  'can_view_organization',
  'can_create_organization_roles',
  'can_create_organization_api_keys',
  'can_update_organization_members',
]);

const { create, edit, faults, rest } = scopedKeys(() => teams.gateway);

async function joinWith(name: string, permissions: string[]) {
  const role = await createRole(acme.owner, acme.id, { name, permissions });
  return teams.join(acme.id, name, [role.id]);
}
const pathOf = (below: string) => `/api/organizations/${acme.id}${below}`;
const grant = (...permissions: string[]) => ({
  grants: [{ scope: { type: 'org', org_id: acme.id }, permissions }],
});
/** Returns a caller with a token of the Owner that has every scope of an organization. */
async function withToken(): Promise<SignedUp> {
  const owner = { organization_id: acme.id };
  const client = await oauth.client({ owner, scopes: [...scopesIn('organization')] });
  const token = await oauth.token(await oauth.authorize(client, acme.owner));
  return { ...acme.owner, bearer: { authorization: `Bearer ${token}` } };
}
const read = async (who: SignedUp) => outcomeOf(await askAs(who, { path: pathOf('/audit') }));
const DENIED = [403, 'permission_denied'];

test('a role with the audit permission alone reads the audit log and nothing else', async () => {
  expect(await read(auditor)).toEqual([200]);
  for (const below of ['', '/members', '/roles', '/usage'])
    expect(outcomeOf(await askAs(auditor, { path: pathOf(below) }))).toEqual(DENIED);
  const rename = { method: 'PATCH', path: pathOf(''), body: { name: 'Mine' } };
  expect(outcomeOf(await askAs(auditor, rename))).toEqual(DENIED);
});

test('who may update the organization reads its audit log, and another member does not', async () => {
  expect(await read(await joinWith('updater', [UPDATE]))).toEqual([200]);
  expect(await read(await teams.join(acme.id, 'admin', [ADMIN]))).toEqual([200]);
  expect(await read(manager)).toEqual(DENIED);
  expect(await read(await teams.join(acme.id, 'plain', [MEMBER]))).toEqual(DENIED);
});

test.each([
  ['of a member', '/api/keys'],
  ['of the organization', '/keys'],
])('a key %s reads the audit log with the permission or one that implies it', async (_of, keys) => {
  const path = keys.startsWith('/api') ? keys : pathOf(keys);
  const { body: key } = await create(acme.owner, grant(AUDIT), path);
  const log = { path: pathOf('/audit') };

  expect((await rest(acme.owner, key, log)).status).toBe(200);
  await edit(acme.owner, key.id, grant('can_view_organization'), path);
  expect(outcomeOf(await rest(acme.owner, key, log))).toEqual(DENIED);
  await edit(acme.owner, key.id, grant(UPDATE), path);
  expect((await rest(acme.owner, key, log)).status).toBe(200);
  await edit(acme.owner, key.id, grant('can_view_organization'), path);
  expect(outcomeOf(await rest(acme.owner, key, log))).toEqual(DENIED);
  expect(await driftOf(teams.gateway)).toEqual([]);
});

test('no access token reads the audit log, whatever its scopes, and no record says that one does', async () => {
  const token = await withToken();
  const machine = await oauth.machine(
    await oauth.client({
      owner: { organization_id: acme.id },
      scopes: [...scopesIn('organization')],
      grant_types: ['client_credentials'],
    }),
  );
  const bearer = { authorization: `Bearer ${await oauth.token(machine)}` };

  for (const caller of [token, { ...acme.owner, bearer }]) {
    const refused = await askAs(caller, { path: pathOf('/audit') });
    expect(outcomeOf(refused)).toEqual(DENIED);
    expect(refused.body.errors![0]!.detail).toEqual({ permission: AUDIT });
    const { body } = await askAs<{ membership: { permissions: string[] } }>(caller, {
      path: pathOf(''),
    });
    expect(body.membership.permissions).toContain(UPDATE);
    expect(body.membership.permissions).not.toContain(AUDIT);
  }
});

test('who lacks the audit permission cannot give it, in a role or a key (G2)', async () => {
  const token = await withToken();
  const expected = (pointer: string) => [422, `permission_not_held ${pointer}`];

  for (const caller of [manager, token]) {
    const role = { name: crypto.randomUUID(), permissions: [AUDIT] };
    expect(faults(await askAs(caller, { path: pathOf('/roles'), body: role }))).toEqual(
      expected('/permissions/0'),
    );
    expect(
      faults(await create(caller, { ...grant(AUDIT), team_ids: [] }, pathOf('/keys'))),
    ).toEqual(expected('/grants/0/permissions/0'));
  }
  expect(faults(await create(manager, grant(AUDIT)))).toEqual(expected('/grants/0/permissions/0'));
});

test('a token still grants what its scopes name, and manages those who hold no more', async () => {
  const token = await withToken();
  const role = { name: 'Updaters', permissions: [UPDATE] };
  const other = await teams.join(acme.id, 'other', [MEMBER]);
  const change = (role_ids: string[]) =>
    askAs(token, {
      method: 'PATCH',
      path: pathOf(`/members/${other.account_id}`),
      body: { role_ids },
    });

  expect(outcomeOf(await askAs(token, { path: pathOf('/roles'), body: role }))).toEqual([201]);
  expect(outcomeOf(await change([ADMIN]))).toEqual([200]);
  expect(outcomeOf(await change([MEMBER]))).toEqual([200]);
  const removal = { method: 'DELETE', path: pathOf(`/members/${auditor.account_id}`) };
  expect(outcomeOf(await askAs(token, removal))).toEqual(DENIED);
});

test('the roles of a member are measured one by one: a token cannot leave the audit permission alone by taking another role', async () => {
  const token = await withToken();
  const roleOf = (name: string, permission: string) =>
    createRole(acme.owner, acme.id, { name, permissions: [permission] });
  const [log, updating] = [await roleOf('Log only', AUDIT), await roleOf('Updating', UPDATE)];
  const both = await teams.join(acme.id, 'both', [log.id, updating.id]);
  const path = pathOf(`/members/${both.account_id}`);

  for (const role_ids of [[log.id], [MEMBER]])
    expect(outcomeOf(await askAs(token, { method: 'PATCH', path, body: { role_ids } }))).toEqual(
      DENIED,
    );
  expect(outcomeOf(await askAs(token, { method: 'DELETE', path }))).toEqual(DENIED);
});

test('a token grants the audit permission together with one that implies it, in any order, and never alone (G2)', async () => {
  const token = await withToken();
  const denied = (pointer: string) => [422, `permission_not_held ${pointer}`];
  const save = async (permissions: string[], id: string | null = null) => {
    const body = { permissions, ...(id === null && { name: crypto.randomUUID() }) };
    const path = pathOf(id === null ? '/roles' : `/roles/${id}`);
    return askAs<{ id: string }>(token, { method: id === null ? 'POST' : 'PATCH', path, body });
  };
  const pairs = [
    [UPDATE, AUDIT],
    [AUDIT, UPDATE],
  ];

  for (const both of pairs) {
    const made = await save(both);
    expect(made.status).toBe(201);
    expect(faults(await save([AUDIT], made.body.id))).toEqual(denied('/permissions/0'));
    const { body: updaters } = await save([UPDATE]);
    expect((await save(both, updaters.id)).status).toBe(200);
    expect((await save([UPDATE], updaters.id)).status).toBe(200);
    const reduced = await save(['can_view_organization', AUDIT], updaters.id);
    expect(faults(reduced)).toEqual(denied('/permissions/1'));
  }
  const reading = await createRole(acme.owner, acme.id, { name: 'Log', permissions: [AUDIT] });
  expect((await save([AUDIT, 'can_view_organization'], reading.id)).status).toBe(200);
  expect((await save([AUDIT, UPDATE], reading.id)).status).toBe(200);
});

test('a token grants a key the audit permission together with one that implies it, in any order, and never alone (G2)', async () => {
  const token = await withToken();
  const keys = pathOf('/keys');
  const denied = (index: number) => [422, `permission_not_held /grants/0/permissions/${index}`];
  const make = (who: SignedUp, ...permissions: string[]) =>
    create(who, { ...grant(...permissions), team_ids: [] }, keys);

  for (const both of [
    [UPDATE, AUDIT],
    [AUDIT, UPDATE],
  ]) {
    const { status, body } = await make(token, ...both);
    expect(status).toBe(201);
    expect(faults(await edit(token, body.id, grant(AUDIT), keys))).toEqual(denied(0));
    const { body: updating } = await make(token, UPDATE);
    expect((await edit(token, updating.id, grant(...both), keys)).status).toBe(200);
    const reduced = grant('can_view_organization', AUDIT);
    expect(faults(await edit(token, updating.id, reduced, keys))).toEqual(denied(1));
  }
  const { body: reading } = await make(acme.owner, AUDIT);
  const more = grant(AUDIT, 'can_view_organization');
  expect((await edit(token, reading.id, more, keys)).status).toBe(200);
});

test('a token rebinds a key that has the audit permission together with one that implies it, and no other', async () => {
  const token = await withToken();
  const keys = pathOf('/keys');
  const team = await createTeam(acme.owner, acme.id, 'rebound');
  const rebind = async (...permissions: string[]) => {
    const { body } = await create(acme.owner, { ...grant(...permissions), team_ids: [] }, keys);
    return edit(token, body.id, { team_ids: [team.id] }, keys);
  };

  expect((await rebind(AUDIT, UPDATE)).status).toBe(200);
  expect(faults(await rebind(AUDIT))).toEqual([422, 'permission_not_held /team_ids']);
});

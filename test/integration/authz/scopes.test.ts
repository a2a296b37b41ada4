import { setTimeout } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { createAppliers } from '../../../src/authz/changes/apply.ts';
import { ConcurrentUpdate } from '../../../src/authz/authz.ts';
import { readScopes } from '../../../src/authz/changes/store.ts';
import { PLATFORM } from '../../../src/authz/system-roles.ts';
import type { AgentPrincipal } from '../../../src/caller/principal.ts';
import type { ScopeRef } from '../../../src/caller/scope.ts';
import { isRefusal } from '../../../src/platform/errors/refusal.ts';
import { newId } from '../../../src/platform/ids.ts';
import { sql } from '../../../src/platform/postgres/database.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { actor, createAuthority, driftOf } from '../../support/worlds/authority.ts';
import type { Authority } from '../../support/worlds/authority.ts';
import { createDeployment } from '../../support/servers/deployment.ts';
import {
  createOrganizations,
  createOrganizationTables,
  organizationProjections as register,
} from '../../support/worlds/organization-rows.ts';
import type { Member, Organization } from '../../support/worlds/organization-rows.ts';

const deployment = await createDeployment();
const authority = await createAuthority(deployment, { register });
const other = await createAuthority(deployment, { register });
await createOrganizationTables(authority.database);
afterAll(() => Promise.all([authority.close(), other.close()]));
const organizations = createOrganizations(authority);
const otherOrganizations = createOrganizations(other);

/**
 * Retries as clients do: after a ConcurrentUpdate, or while a scope is closed because a busy
 * machine has not applied its change yet.
 */
async function retry<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await run();
    } catch (error) {
      const isClosed = isRefusal(error) && error.kind === 'unavailable';
      if (!(error instanceof ConcurrentUpdate || isClosed) || attempt === 200) throw error;
      await setTimeout(5 + Math.random() * 45);
    }
}

const ownersAmong = async ({ engine }: Authority, members: readonly Member[]) => {
  const held = await Promise.all(members.map(({ object }) => engine.read(object)));
  return held.map((tuples) => tuples.some(({ user }) => user === 'org_role:owner'));
};

const applyTo = ({ database, engine }: Authority, member: Member) =>
  createAppliers({ database, engine, log: createLog('silent') }).apply(member.scope, 10_000);

test('concurrent pairs of changes to overlapping scopes leave the tuples their rows project to', async () => {
  for (let round = 0; round < 3; round += 1) {
    const { organization, members } = await organizations.createWithTwoMembers();
    const [owner, member] = members;
    const key = await organizations.grant(member);
    const newcomer = await authority.addAccount();
    const pairs: [() => Promise<unknown>, () => Promise<unknown>][] = [
      [
        () => organizations.transfer(organization, owner, member),
        () => otherOrganizations.transfer(organization, owner, member),
      ],
      [
        () => organizations.join(organization, newcomer),
        () => otherOrganizations.addService(organization),
      ],
      [
        () => organizations.revoke(member, key),
        () => otherOrganizations.transfer(organization, member, owner),
      ],
      [() => organizations.grant(owner), () => otherOrganizations.grant(owner)],
      [() => organizations.leave(member), () => otherOrganizations.addService(organization)],
    ];

    for (const [one, two] of pairs) await Promise.all([retry(one), retry(two)]);

    for (const each of members) await applyTo(authority, each);
    expect(await ownersAmong(authority, members)).toEqual([true, false]);
  }
  expect(await driftOf(authority, { repair: false })).toEqual([]);
}, 60_000);

/** Returns the caller with the scopes its authentication query would read. */
async function withScopes(caller: AgentPrincipal, scopes: readonly ScopeRef[]) {
  return { ...caller, scopes: await readScopes(authority.database.pool, scopes) };
}
const scopesOf = ({ scope: organization }: Organization, { account, scope }: Member) => [
  { kind: 'account' as const, id: account },
  scope,
  organization,
  PLATFORM,
];

test('services and members are checked on their context object and their team seat', async () => {
  const { organization, members } = await organizations.createWithTwoMembers();
  const [, member] = members;
  const service = await organizations.addService(organization);
  const key = await organizations.grant(member);
  const caller = await authority.caller(member.account, key);
  const personCaller = await withScopes(caller, scopesOf(organization, member));
  const object = `service:${organization.id}.${service}` as const;
  const seat = `team_seat:${organization.team}.${service}`;
  const serviceCaller = await withScopes(
    { ...caller, subject: `org_key:${service}`, context: object },
    [{ kind: 'service', id: service }],
  );

  const keyAnswers = await authority.authz.check(personCaller, ['can_members_read'], member.object);
  const serviceAnswers = await authority.authz.checkEach(serviceCaller, [
    { object, relation: 'can_use_tools' },
    { object: seat, relation: 'active' },
  ]);
  const { active } = await authority.authz.context(serviceCaller, [seat]);

  expect([...keyAnswers.values()]).toEqual([true]);
  expect(serviceAnswers).toEqual([true, true]);
  expect([...active]).toEqual([seat]);
});

test("a change of only a membership applies to the person's next check", async () => {
  const { organization, members } = await organizations.createWithTwoMembers();
  const [owner] = members;
  const session = { ...(await authority.caller(owner.account, newId())) };
  const decide = async () => {
    const scopes = await readScopes(authority.database.pool, scopesOf(organization, owner));
    const caller = { ...session, subject: `user:${owner.account}` };
    const answers = await authority.authz.check(caller, ['can_see'], owner.object, scopes);
    return answers.get('can_see');
  };

  const before = [await retry(decide), await retry(decide)];
  await organizations.leave(owner);
  const after = await retry(decide);

  expect([...before, after]).toEqual([true, true, false]);
});

test('a check that omits a scope its object depends on throws', async () => {
  const { organization, members } = await organizations.createWithTwoMembers();
  const [owner, member] = members;
  const caller = await authority.caller(owner.account, await organizations.grant(owner));
  const all = await readScopes(authority.database.pool, scopesOf(organization, owner));
  const memberScopes = await readScopes(authority.database.pool, scopesOf(organization, member));
  const check = (object: string, scopes: AgentPrincipal['scopes']) =>
    authority.authz.check(caller, ['can_see'], object, scopes);

  for (const { kind } of all)
    for (const object of [owner.object, owner.seat])
      await expect(
        check(
          object,
          all.filter((scope) => scope.kind !== kind),
        ),
        `${object} without ${kind}`,
      ).rejects.toThrow(/is checked with the scopes/);
  await expect(check(owner.object, caller.scopes)).rejects.toBeInstanceOf(TypeError);
  await expect(check(owner.object, memberScopes)).rejects.toBeInstanceOf(TypeError);
  await expect(check(`account:${member.account}`, all)).rejects.toBeInstanceOf(TypeError);
  await expect(check(`service:${organization.id}.${newId()}`, all)).rejects.toBeInstanceOf(
    TypeError,
  );
  expect((await check(owner.object, all)).get('can_see')).toBe(true);
});

test('a change that moves tuples of a scope it does not write is rolled back', async () => {
  const { members } = await organizations.createWithTwoMembers();
  const [owner] = members;

  const change = authority.authz.change({
    ...{ actor, reason: 'key.update', targets: [], basis: null },
    writes: [{ kind: 'account', id: owner.account }],
    objects: [{ object: owner.object }],
    work: async (transaction) =>
      void (await transaction.query(sql.unsafe`
        DELETE FROM test_object WHERE type || ':' || id = ${owner.object}`)),
  });

  await expect(change).rejects.toThrow(/which is missing from its writes/);
  expect(await driftOf(authority, { repair: false })).toEqual([]);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createAppliers } from '../../../src/authz/apply.ts';
import { ConcurrentUpdate } from '../../../src/authz/authz.ts';
import { readScopes } from '../../../src/authz/store.ts';
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
import { twoScopeSteps } from '../../support/worlds/organization-child.ts';
import type { TwoScopeOrders } from '../../support/worlds/organization-child.ts';
import {
  createOrganizations,
  createOrganizationTables,
  organizationProjections as register,
} from '../../support/worlds/organization-rows.ts';
import type { Member, Organization } from '../../support/worlds/organization-rows.ts';

const CHILD = fileURLToPath(new URL('../../support/worlds/organization-child.ts', import.meta.url));

const deployment = await createDeployment();
const authority = await createAuthority(deployment, { register });
const other = await createAuthority(deployment, { register });
await createOrganizationTables(authority.database);
afterAll(() => Promise.all([authority.close(), other.close()]));
const here = createOrganizations(authority);
const there = createOrganizations(other);

/** An organization with an owner and a member. */
async function foundWithTwo(): Promise<{ organization: Organization; members: [Member, Member] }> {
  const organization = await here.found();
  const owner = await here.join(organization, await authority.addAccount(), 'owner');
  const member = await here.join(organization, await authority.addAccount());
  return { organization, members: [owner, member] };
}

/**
 * Acts as a client and a request do: again when authority moved, or is closed until a busy machine
 * has applied it.
 */
async function again<T>(act: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await act();
    } catch (error) {
      const isClosed = isRefusal(error) && error.kind === 'unavailable';
      if (!(error instanceof ConcurrentUpdate || isClosed) || attempt === 200) throw error;
      await setTimeout(5 + Math.random() * 45);
    }
}

async function crash(orders: Omit<TwoScopeOrders, 'deployment'>): Promise<void> {
  const child = spawn(process.execPath, [CHILD], {
    env: {
      ...process.env,
      TWO_SCOPE_ORDERS: JSON.stringify({ ...orders, deployment }),
      NODE_OPTIONS: '',
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [, signal] = await once(child, 'exit');
  expect(signal).toBe('SIGKILL');
}

const ownersAmong = async ({ engine }: Authority, members: readonly Member[]) => {
  const held = await Promise.all(members.map(({ object }) => engine.read(object)));
  return held.map((tuples) => tuples.some(({ user }) => user === 'org_role:owner'));
};

const tuplesOf = async (objects: readonly string[]) => {
  const held = await Promise.all(objects.map((object) => authority.engine.read(object)));
  return held.map(({ length }) => length);
};

const applyTo = ({ database, engine }: Authority, member: Member) =>
  createAppliers({ database, engine, log: createLog('silent') }).apply(member.scope, 10_000);

test.for(twoScopeSteps)('a kill %s of a transfer never leaves two owners', async (step) => {
  const { organization, members } = await foundWithTwo();

  await crash({ organization, members, act: 'transfer', step });
  const before = await ownersAmong(authority, members);
  // Whoever needs the new owner's scope first applies the former owner's.
  await applyTo(authority, members[1]);
  const after = await ownersAmong(authority, members);

  expect(before).not.toEqual([true, true]);
  expect(after).toEqual(step === 'before the commit' ? [true, false] : [false, true]);
  expect(await driftOf(authority, { repair: false })).toEqual([]);
});

test.for(twoScopeSteps)('a kill %s of an organization grant leaves no half key', async (step) => {
  const { organization, members } = await foundWithTwo();
  const [{ account, object }] = members;
  const key = await here.grant(members[0]);

  await crash({ organization, members, act: { revoke: key }, step });
  const caller = await authority.caller(account, key);
  const { connected } = await authority.authz.context(caller);
  await applyTo(authority, members[0]);

  const isCommitted = step !== 'before the commit';
  expect(connected).toBe(!isCommitted);
  const held = await authority.engine.read(object);
  expect(held.some(({ user }) => user === `api_key:${key}`)).toBe(!isCommitted);
  expect(await driftOf(authority, { repair: false })).toEqual([]);
});

const joinSteps = twoScopeSteps.filter((step) => !step.endsWith('Write 2'));

test.for(joinSteps)('a kill %s of a join leaves no half member', async (step) => {
  const { organization, members } = await foundWithTwo();
  const join = await authority.addAccount();

  await crash({ organization, members, act: { join }, step });

  const objects = [
    `membership:${organization.id}.${join}`,
    `team_seat:${organization.team}.${join}`,
  ];
  const isWritten = ['after Write 1', 'after applied'].includes(step);
  expect(await tuplesOf(objects)).toEqual(isWritten ? [3, 3] : [0, 0]);
  expect(await driftOf(authority, { repair: false })).toEqual([]);
  expect(await tuplesOf(objects)).toEqual(step === 'before the commit' ? [0, 0] : [3, 3]);
});

test.for(twoScopeSteps)('a kill %s of a service leaves no half credential', async (step) => {
  const { organization, members } = await foundWithTwo();

  await crash({ organization, members, act: 'service', step });

  const id = await authority.database.pool.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    SELECT id FROM test_object WHERE type = 'service' AND starts_with(id, ${organization.id})`);
  const isCommitted = step !== 'before the commit';
  expect(id !== null).toBe(isCommitted);
  const key = id?.split('.')[1] ?? newId();
  const objects = [`service:${organization.id}.${key}`, `team_seat:${organization.team}.${key}`];
  const isWritten = isCommitted && step !== 'before Write 1';
  expect(await tuplesOf(objects)).toEqual(isWritten ? [3, 3] : [0, 0]);
  expect(await driftOf(authority, { repair: false })).toEqual([]);
  expect(await tuplesOf(objects)).toEqual(isCommitted ? [3, 3] : [0, 0]);
});

test('changes of overlapping scopes in pairs leave the tuples their rows say', async () => {
  for (let round = 0; round < 3; round += 1) {
    const { organization, members } = await foundWithTwo();
    const [owner, member] = members;
    const key = await here.grant(member);
    const newcomer = await authority.addAccount();
    const pairs: [() => Promise<unknown>, () => Promise<unknown>][] = [
      [
        () => here.transfer(organization, owner, member),
        () => there.transfer(organization, owner, member),
      ],
      [() => here.join(organization, newcomer), () => there.addService(organization)],
      [() => here.revoke(member, key), () => there.transfer(organization, member, owner)],
      [() => here.grant(owner), () => there.grant(owner)],
      [() => here.leave(member), () => there.addService(organization)],
    ];

    for (const [one, two] of pairs) await Promise.all([again(one), again(two)]);

    for (const one of members) await applyTo(authority, one);
    expect(await ownersAmong(authority, members)).toEqual([true, false]);
  }
  expect(await driftOf(authority, { repair: false })).toEqual([]);
}, 60_000);

/** The caller with the scopes its query would read: of its person, in the organization, or its own. */
async function within(caller: AgentPrincipal, scopes: readonly ScopeRef[]) {
  return { ...caller, scopes: await readScopes(authority.database.pool, scopes) };
}
const scopesOf = ({ scope: organization }: Organization, { account, scope }: Member) => [
  { kind: 'account' as const, id: account },
  scope,
  organization,
  PLATFORM,
];

test('a service and a member are answered on their context object and their team seat', async () => {
  const { organization, members } = await foundWithTwo();
  const [, member] = members;
  const service = await here.addService(organization);
  const key = await here.grant(member);
  const asked = await authority.caller(member.account, key);
  const ofPerson = await within(asked, scopesOf(organization, member));
  const object = `service:${organization.id}.${service}`;
  const seat = `team_seat:${organization.team}.${service}`;
  const ofItself = await within({ ...asked, subject: `org_key:${service}`, context: object }, [
    { kind: 'service', id: service },
  ]);

  const ofKey = await authority.authz.check(ofPerson, ['can_members_read'], member.object);
  const ofService = await authority.authz.checkEach(ofItself, [
    { object, relation: 'can_use_tools' },
    { object: seat, relation: 'active' },
  ]);
  const { active } = await authority.authz.context(ofItself, [seat]);

  expect([...ofKey.values()]).toEqual([true]);
  expect(ofService).toEqual([true, true]);
  expect([...active]).toEqual([seat]);
});

test('a change of a membership alone is true at the next question of its person', async () => {
  const { organization, members } = await foundWithTwo();
  const [owner] = members;
  const session = { ...(await authority.caller(owner.account, newId())) };
  const decided = async () => {
    const scopes = await readScopes(authority.database.pool, scopesOf(organization, owner));
    const asked = { ...session, subject: `user:${owner.account}` };
    const answers = await authority.authz.check(asked, ['can_see'], owner.object, scopes);
    return answers.get('can_see');
  };

  const before = [await again(decided), await again(decided)];
  await here.leave(owner);
  const after = await again(decided);

  expect([...before, after]).toEqual([true, true, false]);
});

test('a question that leaves out a scope its object hangs on is a defect, not an answer', async () => {
  const { organization, members } = await foundWithTwo();
  const [owner, member] = members;
  const caller = await authority.caller(owner.account, await here.grant(owner));
  const all = await readScopes(authority.database.pool, scopesOf(organization, owner));
  const ofMember = await readScopes(authority.database.pool, scopesOf(organization, member));
  const ask = (object: string, scopes: AgentPrincipal['scopes']) =>
    authority.authz.check(caller, ['can_see'], object, scopes);

  for (const { kind } of all)
    for (const object of [owner.object, owner.seat])
      await expect(
        ask(
          object,
          all.filter((scope) => scope.kind !== kind),
        ),
        `${object} without ${kind}`,
      ).rejects.toThrow(/is asked about with the scopes/);
  await expect(ask(owner.object, caller.scopes)).rejects.toBeInstanceOf(TypeError);
  await expect(ask(owner.object, ofMember)).rejects.toBeInstanceOf(TypeError);
  await expect(ask(`account:${member.account}`, all)).rejects.toBeInstanceOf(TypeError);
  await expect(ask(`service:${organization.id}.${newId()}`, all)).rejects.toBeInstanceOf(TypeError);
  expect((await ask(owner.object, all)).get('can_see')).toBe(true);
});

test('a change that moves tuples of a scope it does not write is not made', async () => {
  const { members } = await foundWithTwo();
  const [owner] = members;

  const change = authority.authz.change({
    ...{ actor, reason: 'key.update', targets: [], basis: null },
    writes: [{ kind: 'account', id: owner.account }],
    objects: [{ object: owner.object }],
    work: async (transaction) =>
      void (await transaction.query(sql.unsafe`
        DELETE FROM test_object WHERE type || ':' || id = ${owner.object}`)),
  });

  await expect(change).rejects.toThrow(/which it does not write/);
  expect(await driftOf(authority, { repair: false })).toEqual([]);
});

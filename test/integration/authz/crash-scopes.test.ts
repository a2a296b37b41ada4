import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createAppliers } from '../../../src/authz/changes/apply.ts';
import { readScopes } from '../../../src/authz/changes/store.ts';
import { newId } from '../../../src/platform/ids.ts';
import { sql } from '../../../src/platform/postgres/database.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { createAuthority, driftOf } from '../../support/worlds/authority.ts';
import type { Authority } from '../../support/worlds/authority.ts';
import { createDeployment } from '../../support/servers/deployment.ts';
import { twoScopeSteps } from '../../support/worlds/organization-child.ts';
import type { TwoScopeScenario } from '../../support/worlds/organization-child.ts';
import {
  createOrganizations,
  createOrganizationTables,
  organizationProjections as register,
} from '../../support/worlds/organization-rows.ts';
import type { Member } from '../../support/worlds/organization-rows.ts';

const CHILD = fileURLToPath(new URL('../../support/worlds/organization-child.ts', import.meta.url));

const deployment = await createDeployment();
const authority = await createAuthority(deployment, { register });
await createOrganizationTables(authority.database);
afterAll(() => authority.close());
const organizations = createOrganizations(authority);

async function crash(scenario: Omit<TwoScopeScenario, 'deployment'>): Promise<void> {
  const child = spawn(process.execPath, [CHILD], {
    env: {
      ...process.env,
      TWO_SCOPE_SCENARIO: JSON.stringify({ ...scenario, deployment }),
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

const countTuples = async (objects: readonly string[]) => {
  const held = await Promise.all(objects.map((object) => authority.engine.read(object)));
  return held.map(({ length }) => length);
};

const applyTo = ({ database, engine }: Authority, member: Member) =>
  createAppliers({ database, engine, log: createLog('silent') }).apply(member.scope, 10_000);

test.for(twoScopeSteps)(
  'killing the process %s of a transfer never leaves two owners',
  async (step) => {
    const { organization, members } = await organizations.createWithTwoMembers();

    await crash({ organization, members, act: 'transfer', step });
    const before = await ownersAmong(authority, members);
    // Applying the new owner's scope applies the former owner's first.
    await applyTo(authority, members[1]);
    const after = await ownersAmong(authority, members);

    expect(before).not.toEqual([true, true]);
    expect(after).toEqual(step === 'before the commit' ? [true, false] : [false, true]);
    expect(await driftOf(authority, { repair: false })).toEqual([]);
  },
);

test.for(twoScopeSteps)(
  'killing the process %s of a revocation leaves no partial key',
  async (step) => {
    const { organization, members } = await organizations.createWithTwoMembers();
    const [{ account, object }] = members;
    const key = await organizations.grant(members[0]);

    await crash({ organization, members, act: { revoke: key }, step });
    const caller = await authority.caller(account, key);
    const { connected } = await authority.authz.context(caller);
    await applyTo(authority, members[0]);

    const isCommitted = step !== 'before the commit';
    expect(connected).toBe(!isCommitted);
    const held = await authority.engine.read(object);
    expect(held.some(({ user }) => user === `api_key:${key}`)).toBe(!isCommitted);
    expect(await driftOf(authority, { repair: false })).toEqual([]);
  },
);

const IdRow = z.object({ id: z.string() });

test.for(twoScopeSteps)(
  'killing the process %s of a grant leaves no partial key, and the worker completes it',
  async (step) => {
    const { organization, members } = await organizations.createWithTwoMembers();
    const [{ account, scope, object }] = members;
    const { pool } = authority.database;

    await crash({ organization, members, act: 'grant', step });

    const key = await pool.maybeOneFirst(sql.type(IdRow)`
    SELECT id FROM test_key WHERE account_id = ${account}`);
    expect(key !== null).toBe(step !== 'before the commit');
    const tuplesOfKey = async () => {
      const held = await Promise.all([object, `account:${account}`].map(authority.engine.read));
      return held.map((tuples) => tuples.filter(({ user }) => user === `api_key:${key}`).length);
    };
    // The account's scope is applied last: its `principal` tuple activates the membership's grants.
    const steps = twoScopeSteps.indexOf(step);
    expect(await tuplesOfKey()).toEqual([steps >= 2 ? 4 : 0, steps >= 4 ? 3 : 0]);
    authority.authz.start();
    await expect
      .poll(() => readScopes(pool, [scope, { kind: 'account', id: account }]), { timeout: 10_000 })
      .toSatisfy((scopes: Awaited<ReturnType<typeof readScopes>>) =>
        scopes.every(({ applied, revision }) => applied === revision),
      );
    await authority.authz.stop();
    expect(await tuplesOfKey()).toEqual(key === null ? [0, 0] : [4, 3]);
    expect(await driftOf(authority, { repair: false })).toEqual([]);
  },
);

const joinSteps = twoScopeSteps.filter((step) => !step.endsWith('Write 2'));

test.for(joinSteps)('killing the process %s of a join leaves no partial member', async (step) => {
  const { organization, members } = await organizations.createWithTwoMembers();
  const join = await authority.addAccount();

  await crash({ organization, members, act: { join }, step });

  const objects = [
    `membership:${organization.id}.${join}`,
    `team_seat:${organization.team}.${join}`,
  ];
  const isWritten = ['after Write 1', 'after applied'].includes(step);
  expect(await countTuples(objects)).toEqual(isWritten ? [3, 3] : [0, 0]);
  expect(await driftOf(authority, { repair: false })).toEqual([]);
  expect(await countTuples(objects)).toEqual(step === 'before the commit' ? [0, 0] : [3, 3]);
});

test.for(twoScopeSteps)(
  'killing the process %s of a service creation leaves no partial credential',
  async (step) => {
    const { organization, members } = await organizations.createWithTwoMembers();

    await crash({ organization, members, act: 'service', step });

    const id = await authority.database.pool.maybeOneFirst(sql.type(IdRow)`
    SELECT id FROM test_object WHERE type = 'service' AND starts_with(id, ${organization.id})`);
    const isCommitted = step !== 'before the commit';
    expect(id !== null).toBe(isCommitted);
    const key = id?.split('.')[1] ?? newId();
    const objects = [`service:${organization.id}.${key}`, `team_seat:${organization.team}.${key}`];
    const isWritten = isCommitted && step !== 'before Write 1';
    expect(await countTuples(objects)).toEqual(isWritten ? [3, 3] : [0, 0]);
    expect(await driftOf(authority, { repair: false })).toEqual([]);
    expect(await countTuples(objects)).toEqual(isCommitted ? [3, 3] : [0, 0]);
  },
);

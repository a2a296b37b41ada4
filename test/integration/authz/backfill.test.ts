import { expect, test } from 'vitest';
import { z } from 'zod';
import { deployModel } from '../../../src/authz/engine/deploy.ts';
import { createProjections } from '../../../src/authz/changes/projections.ts';
import { sql } from '../../../src/platform/postgres/database.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { projections as registered } from '../../../src/projection.ts';
import { accounts } from '../../support/worlds/authority.ts';
import { useAuthority } from './use-authority.ts';

const { deployment, authority } = await useAuthority();

// The deployment has a version of every type that the service registers.
const otherProjections = Object.entries(registered.versions)
  .filter(([type]) => type !== accounts.type)
  .map(([type, version]) => ({
    ...{ type, version, kinds: [], slices: {} },
    scopesOf: async () => new Map(),
    list: async () => [],
  }));

/** Projections of accounts that also write a `granted` tuple for each key with a personal grant. */
const withGrants = (version: number) =>
  createProjections(
    [
      ...otherProjections,
      {
        ...accounts,
        version,
        slices: {
          ...accounts.slices,
          async api_key(connection, id, key) {
            const tuples = await accounts.slices['api_key']!(connection, id, key);
            const granted = tuples.filter(({ relation }) => relation === 'principal');
            return [...tuples, ...granted.map((tuple) => ({ ...tuple, relation: 'granted' }))];
          },
        },
      },
    ],
    [],
  );

const deploy = (version: number, projections = withGrants(version)) =>
  deployModel(authority.database, deployment.openfga, {
    log: createLog('silent'),
    projections,
  });

const countDeployChanges = (account: string) =>
  authority.database.pool.oneFirst(sql.type(z.object({ count: z.number() }))`
    SELECT count(*) FROM authz_outbox WHERE id = ${account} AND reason = 'deploy'`);

test('deploying another version of a projection writes the tuples that it now produces', async () => {
  const account = await authority.addAccount();
  const key = await authority.addKey(account);
  const decide = async () =>
    authority.authz.check(await authority.caller(account, key), ['can_see']);

  await deploy(1);
  const before = [await countDeployChanges(account), (await decide()).get('can_see')];
  await deploy(2);
  const after = [await countDeployChanges(account), (await decide()).get('can_see')];
  await deploy(2);

  expect(before).toEqual([0, false]);
  expect(after).toEqual([1, true]);
  expect(await countDeployChanges(account)).toBe(1);
});

test('deploying another model publishes it and writes the tuples that the projections now produce', async () => {
  await deploy(3);
  const account = await authority.addAccount();
  const key = await authority.addKey(account);
  const granted = { user: `api_key:${key}`, relation: 'granted', object: `account:${account}` };
  const model = () =>
    authority.database.pool.oneFirst(sql.type(z.object({ model_id: z.string() }))`
      SELECT model_id FROM authz_deployment`);
  const before = await model();

  await deploy(3);
  const same = [await model(), await authority.engine.read(granted.object)];
  await authority.database.pool.query(sql.unsafe`
    UPDATE authz_deployment SET model_hash = 'of the model before'`);
  await deploy(3);

  expect(same).toEqual([before, expect.not.arrayContaining([granted])]);
  expect(await model()).not.toBe(before);
  expect(await authority.engine.read(granted.object)).toContainEqual(granted);
  expect(await countDeployChanges(account)).toBe(1);
});

test('deploying older code, which would undo tuples of newer code, is refused and changes no tuples', async () => {
  const account = await authority.addAccount();
  await authority.addKey(account);
  const held = await authority.engine.read(`account:${account}`);

  await deploy(4);

  await expect(deploy(3)).rejects.toThrow(/version 4 of the tuples of account/);
  await expect(deploy(0, createProjections([], []))).rejects.toThrow(/does not know them/);
  const now = await authority.engine.read(`account:${account}`);
  expect(now.length).toBe(held.length + 1);
});

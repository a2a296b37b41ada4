import { afterAll, expect, test } from 'vitest';
import { createAppliers } from '../../../src/authz/changes/apply.ts';
import type { Engine } from '../../../src/authz/engine/client.ts';
import { fenceTuple, readFence } from '../../../src/authz/changes/fence.ts';
import { readScopes } from '../../../src/authz/changes/store.ts';
import { scopeName } from '../../../src/caller/scope.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { createAuthority, driftOf } from '../../support/worlds/authority.ts';
import { createDeployment } from '../../support/servers/deployment.ts';
import {
  createOrganizations,
  createOrganizationTables,
  organizationProjections as register,
} from '../../support/worlds/organization-rows.ts';
import type { Member } from '../../support/worlds/organization-rows.ts';

const deployment = await createDeployment();
const authority = await createAuthority(deployment, { register });
await createOrganizationTables(authority.database);
const silent = await createAuthority(deployment, {
  register,
  wrap: (engine) => ({ ...engine, write: async () => 'unknown' as const }),
});
afterAll(() => Promise.all([authority.close(), silent.close()]));
const { engine, database } = authority;

/** Commits an ownership transfer that is not applied yet; the new owner's scope is listed first. */
async function commitTransfer(): Promise<{ former: Member; next: Member }> {
  const organizations = createOrganizations(authority);
  const organization = await organizations.create();
  const next = await organizations.join(organization, await authority.addAccount());
  const former = await organizations.join(organization, await authority.addAccount(), 'owner');
  await createOrganizations(silent).transfer(organization, former, next);
  return { former, next };
}

const areOwners = ({ former, next }: { former: Member; next: Member }) =>
  Promise.all(
    [former, next].map(async ({ object }) =>
      (await engine.read(object)).some(({ user }) => user === 'org_role:owner'),
    ),
  );

/** Wraps the engine to record the owners after each Write. */
function watchOwners(members: { former: Member; next: Member }) {
  const seen: boolean[][] = [];
  const watched: Engine = {
    ...engine,
    async write(delta) {
      const outcome = await engine.write(delta);
      seen.push(await areOwners(members));
      return outcome;
    },
  };
  return { seen, watched };
}

test('applying a scope first applies the scopes it waits for', async () => {
  const members = await commitTransfer();
  const { seen, watched } = watchOwners(members);
  const appliers = createAppliers({ database, engine: watched, log: createLog('silent') });

  expect(await appliers.apply(members.next.scope, 10_000)).toBe(true);

  expect(seen).toEqual([
    [false, false],
    [false, true],
  ]);
  expect(await driftOf(authority, { repair: false })).toEqual([]);
});

test('a repair handles scopes in the order in which they wait for each other', async () => {
  const members = await commitTransfer();
  const { scope } = members.former;
  const fence = await readFence(engine, scope);
  const deletes = [fenceTuple(scope, fence!)];
  await engine.write({ deletes, writes: [fenceTuple(scope, '999.another')] });
  const { seen, watched } = watchOwners(members);

  const found = await driftOf({ ...authority, engine: watched }, { repair: true });

  expect(found).toMatchObject([{ scope: scopeName(scope), repaired: true }]);
  expect(seen).not.toContainEqual([true, true]);
  expect(seen.at(-1)).toEqual([false, true]);
  const scopes = await readScopes(database.pool, [scope, members.next.scope]);
  expect(scopes.map(({ applied, revision }) => revision - applied)).toEqual([0, 0]);
  expect(await driftOf(authority, { repair: false })).toEqual([]);
});

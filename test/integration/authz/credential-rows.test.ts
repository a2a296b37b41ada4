import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  listBindings,
  listBoundCredentials,
  removeBindings,
  replaceBindings,
} from '../../../src/organizations/credentials/bindings/store.ts';
import { listAuthority } from '../../../src/organizations/credentials/authority.ts';
import { apiKeys, oauthConnections } from '../../../src/organizations/credentials/kinds.ts';
import {
  findServiceById,
  findServices,
  findServiceSeats,
  listFollowers,
  listServices,
  listServiceSeats,
  listServicesIn,
} from '../../../src/organizations/credentials/store.ts';
import { createDatabase, sql } from '../../../src/platform/postgres/database.ts';
import type { Database, Transaction } from '../../../src/platform/postgres/database.ts';
import { newId } from '../../../src/platform/ids.ts';
import { createDeployment } from '../../support/servers/deployment.ts';
import { insertProjectedWorld, withIds } from './projected-world.ts';
import type { Ids } from './projected-world.ts';

const foreign = { organization: newId(), team: newId(), deleted: newId() };
let database: Database;
let ids: Ids;
beforeAll(async () => {
  const { databaseUrl: url } = await createDeployment();
  database = await createDatabase({ url, onIdleError: () => {} });
  ids = await insertProjectedWorld(database);
  await database.authPool.query(
    `INSERT INTO organization (id, name) VALUES ('${foreign.organization}', 'Other')`,
  );
  await database.authPool.query(
    withIds(
      `INSERT INTO team (id, organization_id, name, title, description, deleted_at)
       VALUES ('${foreign.team}', '${foreign.organization}', 'foreign', '', '', NULL),
         ('${foreign.deleted}', :organization, 'deleted', '', '', now())`,
      ids,
    ),
  );
});
afterAll(() => database?.close());

/** Runs work in a transaction that is rolled back. */
async function rolledBack(work: (transaction: Transaction) => Promise<void>): Promise<void> {
  const rollback = new Error('rolled back');
  const transaction = database.transaction(async (one) => {
    await work(one);
    throw rollback;
  });
  await expect(transaction).rejects.toBe(rollback);
}

describe.for([
  { kind: apiKeys, follows: 'org_key', bound: 'bound_org_key', personal: 'bound_key' },
  { kind: oauthConnections, follows: 'machine', bound: 'bound_machine', personal: 'connection' },
] as const)('rows of $kind.table', ({ kind, follows, bound, personal }) => {
  test('a service has seats in live teams of its own organization alone', () =>
    rolledBack(async (transaction) => {
      const seats = await listServiceSeats(transaction, kind, [ids[follows], ids[bound]]);
      const seated = (id: string) =>
        seats.filter(({ service_id }) => service_id === id).map(({ team_id }) => team_id);
      expect(seated(ids[follows]).toSorted()).toEqual([ids.team, ids.other_team].toSorted());
      expect(seated(ids[bound])).toEqual([ids.other_team]);

      const named = [foreign.team, foreign.deleted, ids.team].map((team_id) => ({
        ...{ team_id, service_id: ids[follows] },
      }));
      expect(await findServiceSeats(transaction, kind, named)).toMatchObject([
        { team_id: ids.team },
      ]);
      expect(await listServicesIn(transaction, kind, foreign.team)).toEqual([]);
      expect(await listServicesIn(transaction, kind, ids.team)).toEqual([ids[follows]]);
    }));

  test('a service is found in its own organization alone', () =>
    rolledBack(async (transaction) => {
      const organization_id = foreign.organization;
      const owner = { kind: 'organization', id: organization_id } as const;
      const id = ids[follows];
      expect(await findServices(transaction, kind, [{ id, organization_id }])).toEqual([]);
      expect(await listAuthority(transaction, kind, { owner, id })).toEqual([]);
      expect(await listServices(transaction, kind, { organization_id, limit: 10 })).toEqual([]);
      expect(await listFollowers(transaction, kind, organization_id)).toEqual([]);
    }));

  test('a person’s credential is not a service of the organization in which it works', () =>
    rolledBack(async (transaction) => {
      const organization_id = ids.organization;
      const owner = { kind: 'organization', id: organization_id } as const;
      const id = ids[personal];
      expect(await findServiceById(transaction, kind, id)).toEqual([]);
      expect(await findServices(transaction, kind, [{ id, organization_id }])).toEqual([]);
      expect(await listAuthority(transaction, kind, { owner, id })).toEqual([]);
      expect(await listServiceSeats(transaction, kind, [id])).toEqual([]);
    }));

  test('a revoked credential has no authority, and no seat', () =>
    rolledBack(async (transaction) => {
      const seat = { team_id: ids.other_team, account_id: ids.mia, id: null };
      const organization = { kind: 'organization', id: ids.organization } as const;
      const account = { kind: 'account', id: ids.mia } as const;
      const read = async () => [
        ...(await listAuthority(transaction, kind, { owner: organization, id: ids[follows] })),
        ...(await listAuthority(transaction, kind, { owner: account, id: ids[personal] })),
        ...(await listBoundCredentials(transaction, kind, seat)),
        ...(await listServiceSeats(transaction, kind, [ids[bound]])),
        ...(await listFollowers(transaction, kind, ids.organization)),
      ];
      expect(await read()).toHaveLength(5);
      await transaction.query(
        sql.typeAlias('void')`UPDATE ${sql.identifier([kind.table])} SET revoked_at = now()`,
      );
      expect(await read()).toEqual([]);
    }));

  test('binding leaves exactly the live teams of the organization that are named', () =>
    rolledBack(async (transaction) => {
      const service = { id: ids[bound], organization_id: ids.organization };
      const named = [ids.team, foreign.team, foreign.deleted];
      await replaceBindings(transaction, kind, service, named);
      expect(await listBindings(transaction, kind, ids[bound])).toEqual([ids.team]);
      await replaceBindings(transaction, kind, service, []);
      expect(await listBindings(transaction, kind, ids[bound])).toEqual([]);
      expect(await listBindings(transaction, kind, ids[personal])).toEqual([ids.other_team]);
    }));

  test('people who lose a team lose the bindings of their credentials to it alone', () =>
    rolledBack(async (transaction) => {
      await removeBindings(transaction, ids.team, [ids.mia]);
      await removeBindings(transaction, ids.other_team, [ids.bob]);
      expect(await listBindings(transaction, kind, ids[personal])).toEqual([ids.other_team]);
      await removeBindings(transaction, ids.other_team, [ids.mia]);
      expect(await listBindings(transaction, kind, ids[personal])).toEqual([]);
      expect(await listBindings(transaction, kind, ids[bound])).toEqual([ids.other_team]);
    }));
});

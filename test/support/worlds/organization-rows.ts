import { z } from 'zod';
import type { Projection } from '../../../src/authz/authz.ts';
import { readScopes } from '../../../src/authz/changes/store.ts';
import type { Tuple } from '../../../src/authz/tuple.ts';
import type { ScopeKind, ScopeRef } from '../../../src/caller/scope.ts';
import { sql } from '../../../src/platform/postgres/database.ts';
import type { Database, Transaction } from '../../../src/platform/postgres/database.ts';
import { newId } from '../../../src/platform/ids.ts';
import { actor } from './authority.ts';
import type { Authority } from './authority.ts';

/**
 * Creates the tables for organizations in tests: an object is a row of `test_object` with its
 * owning scope, and each fact about the object is a row of `test_fact`.
 */
export async function createOrganizationTables(database: Database): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.query(sql.unsafe`SELECT pg_advisory_xact_lock(3)`);
    await transaction.query(sql.unsafe`CREATE TABLE IF NOT EXISTS test_object (
      type text, id text, scope_kind text NOT NULL, scope_id uuid NOT NULL, PRIMARY KEY (type, id))`);
    await transaction.query(sql.unsafe`CREATE TABLE IF NOT EXISTS test_fact (
      type text, id text, relation text, subject text, PRIMARY KEY (type, id, relation, subject),
      FOREIGN KEY (type, id) REFERENCES test_object ON DELETE CASCADE)`);
  });
}

const PERSONAL = ['api_key', 'connection'];
/** Scope kinds and subject types of each object type. */
const TYPES: Record<string, { kinds: ScopeKind[]; subjects: string[] }> = {
  membership: {
    kinds: ['membership'],
    subjects: ['account', 'org_role', 'team_seat', ...PERSONAL],
  },
  service: { kinds: ['service'], subjects: ['org_key', 'machine'] },
  team_seat: {
    kinds: ['membership', 'service'],
    subjects: ['membership', 'service', 'team_role', 'org_key', 'machine', ...PERSONAL],
  },
  org_role: { kinds: ['organization'], subjects: ['everyone'] },
  team_role: { kinds: ['organization'], subjects: ['everyone'] },
};

const ScopeRow = z.object({ id: z.string(), kind: z.string(), scope: z.string() });
const FactRow = z.object({ user: z.string(), relation: z.string() });

export const organizationProjections: readonly Projection[] = Object.entries(TYPES).map(
  ([type, { kinds, subjects }]) => ({
    type,
    version: 1,
    kinds,
    async scopesOf(connection, ids) {
      const rows = await connection.any(sql.type(ScopeRow)`
        SELECT id, scope_kind AS kind, scope_id::text AS scope FROM test_object
        WHERE type = ${type} AND id = ANY(${sql.array([...ids], 'text')})`);
      return new Map(
        rows.map(({ id, kind, scope }) => [id, { kind: kind as ScopeKind, id: scope }]),
      );
    },
    list: (connection, scope) =>
      connection.anyFirst(sql.type(z.object({ id: z.string() }))`
        SELECT id FROM test_object
        WHERE type = ${type} AND scope_kind = ${scope.kind} AND scope_id = ${scope.id}`),
    slices: Object.fromEntries(
      subjects.map((subject) => [
        subject,
        async (connection, id, one) => {
          const rows = await connection.any(sql.type(FactRow)`
            SELECT subject AS "user", relation FROM test_fact
            WHERE type = ${type} AND id = ${id} AND starts_with(subject, ${`${subject}:`})
              AND (${one}::text IS NULL OR subject = ${`${subject}:${one}`})`);
          return rows.map((row) => ({ ...row, object: `${type}:${id}` }));
        },
      ]),
    ),
  }),
);

export interface Organization {
  id: string;
  scope: ScopeRef;
  role: string;
  team: string;
}

/** A person in an organization: account, scope, context object and seat in its team. */
export interface Member {
  account: string;
  scope: ScopeRef;
  object: string;
  seat: string;
}

/** Creates the operations on organizations, each a change of one to three scopes. */
export function createOrganizations({ authz, database, addAccount }: Authority) {
  const scopeState = (scopes: readonly ScopeRef[]) => readScopes(database.pool, scopes);

  const operations = {
    /** Creates an organization with one organization role and one team role. */
    async create(): Promise<Organization> {
      const id = newId();
      const scope = { kind: 'organization', id } as const;
      const role = newId();
      await authz.change({
        ...{ actor, reason: 'account.verify', targets: [], basis: null },
        ...{ writes: [scope], creates: [scope] },
        objects: [{ object: `org_role:${role}` }, { object: `team_role:${role}` }],
        async work(transaction) {
          for (const object of [`org_role:${role}`, `team_role:${role}`])
            await addObject(transaction, object, scope);
          await addFact(transaction, 'everyone:live#any', 'members_read', `org_role:${role}`);
          await addFact(transaction, 'everyone:live#any', 'mcp_tools', `org_role:${role}`);
          await addFact(transaction, 'everyone:live#any', 'mcp_tools', `team_role:${role}`);
        },
      });
      return { id, scope, role, team: newId() };
    },

    /** Writes the membership with its team seat; reads account and organization. */
    async join(
      { id, scope: organization, role, team }: Organization,
      account: string,
      roleId = role,
    ) {
      const scope = { kind: 'membership', id: newId(), organization_id: id } as const;
      const object = `membership:${id}.${account}`;
      const seat = `team_seat:${team}.${account}`;
      await authz.change({
        ...{ actor, reason: 'account.verify', writes: [scope], creates: [scope], targets: [] },
        objects: [{ object }, { object: seat }],
        basis: await scopeState([organization, { kind: 'account', id: account }]),
        async work(transaction) {
          await addObject(transaction, object, scope);
          await addObject(transaction, seat, scope);
          await addFact(transaction, `account:${account}`, 'person', object);
          await addFact(transaction, `org_role:${roleId}`, 'role', object);
          await addFact(transaction, seat, 'team_seat', object);
          for (const relation of ['holder', 'joined'])
            await addFact(transaction, object, relation, seat);
          await addFact(transaction, `team_role:${role}`, 'role', seat);
        },
      });
      return { account, scope, object, seat } satisfies Member;
    },

    leave: ({ scope, object, seat }: Member) =>
      authz.change({
        ...{ actor, reason: 'key.revoke', writes: [scope], targets: [], basis: null },
        objects: [{ object }, { object: seat }],
        async work(transaction) {
          await removeObject(transaction, object);
          await removeObject(transaction, seat);
        },
      }),

    /** Writes two memberships; the former owner loses the role before the new one gets it. */
    async transfer({ scope: organization }: Organization, from: Member, to: Member) {
      const owner = { user: 'org_role:owner', relation: 'role' };
      await authz.change({
        ...{ actor, reason: 'key.update', writes: [from.scope, to.scope], targets: [] },
        objects: [from, to].map(({ object }) => ({ object, subject: 'org_role:owner' })),
        basis: await scopeState([organization]),
        async work(transaction) {
          const wasRemoved = await removeFact(transaction, { ...owner, object: from.object });
          if (wasRemoved) await addFact(transaction, owner.user, owner.relation, to.object);
        },
      });
    },

    /** Writes the service, and the organization that counts its credentials. */
    async addService({ id, scope: organization, role, team }: Organization): Promise<string> {
      const key = newId();
      const scope = { kind: 'service', id: key, organization_id: id } as const;
      const object = `service:${id}.${key}`;
      const seat = `team_seat:${team}.${key}`;
      await authz.change({
        ...{ actor, reason: 'key.create', targets: [], basis: null },
        ...{ writes: [scope, organization], creates: [scope] },
        objects: [{ object }, { object: seat }, { object: `org_role:${role}` }],
        async work(transaction) {
          await addObject(transaction, object, scope);
          await addObject(transaction, seat, scope);
          for (const relation of ['bearer', 'granted', 'declared_tools'])
            await addFact(transaction, `org_key:${key}`, relation, object);
          await addFact(transaction, object, 'holder', seat);
          await addFact(transaction, `org_key:${key}`, 'bound', seat);
          await addFact(transaction, `team_role:${role}`, 'role', seat);
        },
      });
      return key;
    },

    /** Writes the membership, then the account: `principal` is the key's last tuple. */
    async grant({ account, scope, object }: Member, id: string = newId()): Promise<string> {
      await authz.change({
        ...{ actor, reason: 'key.create', targets: [], basis: null },
        writes: [scope, { kind: 'account', id: account }],
        objects: [
          { object, subject: `api_key:${id}` },
          { object: `account:${account}`, subject: `api_key:${id}` },
        ],
        async work(transaction) {
          await transaction.query(sql.unsafe`INSERT INTO test_key VALUES (${id}, ${account})`);
          for (const relation of ['runs_here', 'granted', 'carried_members_read', 'declared_tools'])
            await addFact(transaction, `api_key:${id}`, relation, object);
        },
      });
      return id;
    },

    /** Writes the account first: without `principal` the key has no authority. */
    revoke: ({ account, scope, object }: Member, id: string) =>
      authz.change({
        ...{ actor, reason: 'key.revoke', targets: [], basis: null },
        writes: [{ kind: 'account', id: account }, scope],
        objects: [
          { object, subject: `api_key:${id}` },
          { object: `account:${account}`, subject: `api_key:${id}` },
        ],
        async work(transaction) {
          await transaction.query(sql.unsafe`DELETE FROM test_key WHERE id = ${id}`);
          await transaction.query(sql.unsafe`
            DELETE FROM test_fact WHERE subject = ${`api_key:${id}`}`);
        },
      }),
  };

  return {
    ...operations,
    /** Creates an organization with an owner and a member. */
    async createWithTwoMembers(): Promise<{
      organization: Organization;
      members: [Member, Member];
    }> {
      const organization = await operations.create();
      const owner = await operations.join(organization, await addAccount(), 'owner');
      const member = await operations.join(organization, await addAccount());
      return { organization, members: [owner, member] };
    },
  };
}

const parts = (object: string) => {
  const colon = object.indexOf(':');
  return [object.slice(0, colon), object.slice(colon + 1)] as const;
};

async function addObject(transaction: Transaction, object: string, scope: ScopeRef) {
  const [type, id] = parts(object);
  await transaction.query(sql.unsafe`
    INSERT INTO test_object VALUES (${type}, ${id}, ${scope.kind}, ${scope.id})`);
}

async function removeObject(transaction: Transaction, object: string) {
  const [type, id] = parts(object);
  await transaction.query(sql.unsafe`DELETE FROM test_object WHERE type = ${type} AND id = ${id}`);
}

export async function addFact(
  transaction: Transaction,
  user: string,
  relation: string,
  object: string,
) {
  const [type, id] = parts(object);
  await transaction.query(sql.unsafe`
    INSERT INTO test_fact VALUES (${type}, ${id}, ${relation}, ${user})`);
}

export async function removeFact(transaction: Transaction, { user, relation, object }: Tuple) {
  const [type, id] = parts(object);
  const { rowCount } = await transaction.query(sql.unsafe`
    DELETE FROM test_fact
    WHERE type = ${type} AND id = ${id} AND relation = ${relation} AND subject = ${user}`);
  return rowCount === 1;
}

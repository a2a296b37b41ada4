import { randomUUID } from 'node:crypto';
import type { Actor, Authz, Tuple } from '../authz/authz.ts';
import type { KeyCaller, SessionCaller } from '../caller/caller.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Connection, Database } from '../platform/database.ts';
import { newId } from '../platform/ids.ts';
import type { Log } from '../platform/log.ts';
import { cutPage } from '../platform/pages.ts';
import type { Page, PageQuery } from '../platform/pages.ts';
import { absent, conflict, forbidden, unprocessable } from '../platform/refusal.ts';
import type { Problem } from '../platform/refusal.ts';
import { hashSecret } from '../platform/secrets.ts';
import { createAuthenticator, createCallerReader } from './authenticate.ts';
import { agentUnavailable, grantProblems, notMember, pastExpiry, policyProblems } from './rules.ts';
import type { KnownItems } from './rules.ts';
import type { CreatedKey, Grant, KeyDraft, KeyEdit, KeyRecord } from './schema.ts';
import {
  findKey,
  findLiveKey,
  insertKey,
  isNameTaken,
  isPast,
  listKeys,
  listLiveKeyIds,
  readCredentials,
  readCredentialsById,
  revokeKey,
  touchKeys,
  updateKey,
} from './store.ts';
import type { KeyRow } from './store.ts';
import { keyTuples } from './tuples.ts';
import { createUseRecorder } from './use-recorder.ts';

/** Personal API keys: what a session makes of them, and whom a secret stands for. */
export interface Keys {
  /** Throws 401 or 503, never anything else. */
  authenticate(secret: string): Promise<KeyCaller>;
  /** These callers as they are now, by key; null: the key is no longer valid. */
  readCallers(callers: readonly KeyCaller[]): Promise<ReadonlyMap<string, KeyCaller | null>>;
  create(caller: SessionCaller, draft: KeyDraft, actor: Actor): Promise<CreatedKey>;
  list(caller: SessionCaller, page: PageQuery): Promise<Page<KeyRecord>>;
  get(caller: SessionCaller, id: string): Promise<KeyRecord>;
  update(caller: SessionCaller, id: string, edit: KeyEdit, actor: Actor): Promise<KeyRecord>;
  /** Decided by ownership alone: works while OpenFGA is away (authorization.md 5). */
  revoke(caller: SessionCaller, id: string, actor: Actor): Promise<void>;
  /** The tuples of one key as its row says now; none once it is revoked. */
  project(connection: Connection, id: string): Promise<Tuple[]>;
  /** Every live key of an account: whose tuples the drift check expects. */
  liveIds(connection: Connection, account_id: string): Promise<readonly string[]>;
  /** Resolves when what is known of the keys' last uses is written. */
  stop(): Promise<void>;
}

export interface KeysDependencies {
  database: Database;
  authz: Pick<Authz, 'check' | 'change'>;
  catalog: Pick<Catalog, 'toolById'>;
  log: Log;
}

// `sk_` and the first four characters of the UUID: enough to tell keys apart, nothing to guess by.
const PREFIX_LENGTH = 7;

export function createKeys({ database, authz, catalog, log }: KeysDependencies): Keys {
  const { pool } = database;
  const known = knownItems(catalog);
  const uses = createUseRecorder({ write: (ids) => touchKeys(pool, ids), log });
  const authenticate = createAuthenticator({
    read: (hashes) => readCredentials(database.hot, hashes),
    used: uses.record,
  });

  async function create(caller: SessionCaller, draft: KeyDraft, actor: Actor) {
    await requireManagement(caller);
    await requireFreeName(caller, draft.name, null);
    refuse([
      ...grantProblems(draft.grants),
      ...(draft.org_scope === null ? [] : [notMember('/org_scope')]),
      ...policyProblems(draft, null, known),
      ...(draft.default_agent_id === null ? [] : [agentUnavailable()]),
      ...(await expiryProblems(draft.expires_at, null)),
    ]);
    const secret = `sk_${randomUUID()}`;
    const key = { id: newId(), account_id: caller.account_id };
    const trace = { hash: hashSecret(secret), prefix: secret.slice(0, PREFIX_LENGTH) };
    const saved = { ...draft, grants: asSets(draft.grants) };
    const row = await authz.change({
      ...changeOf(key, actor, 'key.create'),
      basis: caller.lane,
      work: async (transaction) =>
        (await insertKey(transaction, { ...key, draft: saved, secret: trace })) ?? refuseName(),
    });
    return { ...recordOf(row), secret };
  }

  async function update(caller: SessionCaller, id: string, edit: KeyEdit, actor: Actor) {
    await requireManagement(caller);
    const stored = await require(caller, id);
    if (edit.name !== undefined) await requireFreeName(caller, edit.name, id);
    refuse([
      ...grantProblems(edit.grants ?? []),
      ...policyProblems(edit, stored, known),
      ...(edit.default_agent_id == null ? [] : [agentUnavailable()]),
      ...(await expiryProblems(edit.expires_at ?? null, stored.expires_at)),
    ]);
    const key = { id, account_id: caller.account_id };
    const saved = edit.grants ? { ...edit, grants: asSets(edit.grants) } : edit;
    const row = await authz.change({
      ...changeOf(key, actor, 'key.update'),
      basis: caller.lane,
      async work(transaction) {
        const updated = await updateKey(transaction, key, saved);
        if (updated === 'named') return refuseName();
        if (updated === null) throw absent();
        return updated;
      },
    });
    return recordOf(row);
  }

  async function revoke(caller: SessionCaller, id: string, actor: Actor) {
    await require(caller, id);
    const key = { id, account_id: caller.account_id };
    await authz.change({
      ...changeOf(key, actor, 'key.revoke'),
      basis: null,
      async work(transaction) {
        if (!(await revokeKey(transaction, key))) throw absent();
      },
    });
  }

  async function requireManagement(caller: SessionCaller) {
    const answers = await authz.check(caller, ['can_manage_keys']);
    if (answers.get('can_manage_keys') !== true)
      throw forbidden('forbidden', 'You may not manage keys.');
  }

  async function require(caller: SessionCaller, id: string): Promise<KeyRow> {
    const row = await findKey(pool, { id, account_id: caller.account_id });
    if (row === null) throw absent();
    return row;
  }

  // Before the rules, so that 409 comes before 422; the unique index settles races.
  async function requireFreeName(caller: SessionCaller, name: string, except: string | null) {
    if (await isNameTaken(pool, { account_id: caller.account_id, name, except })) refuseName();
  }

  async function expiryProblems(wanted: string | null, stored: string | null) {
    if (wanted === null || (stored !== null && Date.parse(wanted) === Date.parse(stored)))
      return [];
    return (await isPast(pool, wanted)) ? [pastExpiry()] : [];
  }

  return {
    authenticate,
    readCallers: createCallerReader((ids) => readCredentialsById(database.hot, ids)),
    create,
    update,
    revoke,
    async list(caller, page) {
      await requireManagement(caller);
      const rows = await listKeys(pool, caller.account_id, {
        limit: page.limit + 1,
        cursor: page.cursor ?? null,
      });
      return cutPage(rows.map(recordOf), page);
    },
    async get(caller, id) {
      await requireManagement(caller);
      return recordOf(await require(caller, id));
    },
    async project(connection, id) {
      const key = await findLiveKey(connection, id);
      return key === null ? [] : keyTuples(key);
    },
    liveIds: listLiveKeyIds,
    stop: uses.settled,
  };
}

/** Nobody has custom tools, so what a policy may name is the current catalogue. */
const knownItems = (catalog: Pick<Catalog, 'toolById'>): KnownItems => ({
  isTool(list, id) {
    const tool = list === 'tools' ? catalog.toolById(id) : undefined;
    return tool !== undefined && tool.deprecated !== true;
  },
});

const changeOf = (key: { id: string; account_id: string }, actor: Actor, reason: string) => ({
  actor,
  reason,
  scope: { kind: 'account' as const, id: key.account_id },
  units: [{ type: 'api_key' as const, id: key.id }],
});

function refuseName(): never {
  throw conflict('name_taken', 'An active key already has this name.', {
    detail: { pointer: '/name' },
  });
}

function refuse(problems: Problem[]): void {
  const [first] = problems;
  if (first === undefined) return;
  throw unprocessable(first.code, first.message, { detail: first.detail, problems });
}

const asSets = (grants: readonly Grant[]): Grant[] =>
  grants.map((grant) => ({ ...grant, permissions: [...new Set(grant.permissions)] }));

function recordOf(row: KeyRow): KeyRecord {
  const { account_id: _owner, expired, ...fields } = row;
  return {
    ...fields,
    org_scope: null,
    default_agent: null,
    status: expired ? 'expired' : 'active',
  };
}

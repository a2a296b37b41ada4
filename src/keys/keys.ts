import type { Actor, Authz } from '../authz/authz.ts';
import type { SessionPrincipal } from '../caller/principal.ts';
import type { Credentials } from '../credentials/credentials.ts';
import type { Family } from '../content/items/schema.ts';
import type { Space } from '../content/spaces/spaces.ts';
import type { Limits } from '../limits/limits.ts';
import type { Connection, Database, Transaction } from '../platform/postgres/database.ts';
import type { Log } from '../platform/observability/log.ts';
import { cutPage } from '../platform/http/pages.ts';
import type { Page, PageQuery } from '../platform/http/pages.ts';
import type { Visibility } from '../visibility/visibility.ts';
import { createDefaultAgents } from './default-agents.ts';
import { createKeyExplain } from './explain.ts';
import type { ExplainTarget } from './explain.ts';
import { createGuards } from './guards.ts';
import { createKeyManagement, recordOf } from './manage.ts';
import { createPreview } from './preview.ts';
import { createNamedItems } from './named-items.ts';
import type { NamedItemsDependencies } from './named-items.ts';
import type { CreatedKey, Explanation, KeyDraft, KeyEdit, KeyRecord, Preview } from './schema.ts';
import {
  countKeys,
  dropFromPolicies,
  exportKeys,
  findKeyIds,
  listKeys,
  touchKeys,
} from './store.ts';
import { createUseRecorder } from './use-recorder.ts';

/** Personal API keys, as managed from a session. */
export interface Keys {
  /** Queues an update of the key's `last_used_at`. */
  recordUse(id: string): void;
  create(caller: SessionPrincipal, draft: KeyDraft, actor: Actor): Promise<CreatedKey>;
  /**
   * Works without OpenFGA, so that people can find keys to revoke; default agents are then omitted.
   */
  list(caller: SessionPrincipal, page: PageQuery): Promise<Page<KeyRecord>>;
  get(caller: SessionPrincipal, id: string): Promise<KeyRecord>;
  /** Throws 404 unless the caller has this key. */
  requireOwn(caller: SessionPrincipal, id: string): Promise<unknown>;
  update(caller: SessionPrincipal, id: string, edit: KeyEdit, actor: Actor): Promise<KeyRecord>;
  /** Returns what a key created from this draft would see; saves nothing. */
  preview(caller: SessionPrincipal, draft: KeyDraft): Promise<Preview>;
  /** Explains why a key of the caller may or may not use an item. */
  explain(caller: SessionPrincipal, id: string, target: ExplainTarget): Promise<Explanation>;
  /** Explains a key of any account, for operators. */
  explainKey(id: string, target: ExplainTarget): Promise<Explanation>;
  /** Returns the ids of the key with this id and of live keys with this name, in any account. */
  findIds(nameOrId: string): Promise<readonly string[]>;
  /** Decided by ownership alone: works while OpenFGA is unavailable (authorization.md 5). */
  revoke(caller: SessionPrincipal, id: string, actor: Actor): Promise<void>;
  /** Returns the number of an account's live keys. */
  count(account_id: string): Promise<number>;
  /** Removes a deleted item from every policy that lists it (PO15). */
  dropFromPolicies(
    transaction: Transaction,
    item: { space: Space; family: Family; id: string },
  ): Promise<void>;
  /** Yields an account's keys, revoked ones too, without their secrets, for the account export. */
  exportOf(connection: Connection, account_id: string, most: number): AsyncIterable<object>;
  /** Resolves when queued updates of `last_used_at` are written. */
  stop(): Promise<void>;
}

export interface KeysDependencies extends NamedItemsDependencies {
  database: Database;
  authz: Pick<Authz, 'check' | 'change' | 'explain'>;
  visibility: Visibility;
  credentials: Pick<Credentials, 'find'>;
  limits: Pick<Limits, 'windows'>;
  /** Counts against the account's limit or throws 429: an explanation reads much from OpenFGA. */
  limitExplain(account_id: string): Promise<void>;
  log: Log;
}

export function createKeys(dependencies: KeysDependencies): Keys {
  const { database, authz, visibility, limits, credentials, log } = dependencies;
  const { pool } = database;
  const uses = createUseRecorder({ write: (ids) => touchKeys(pool, ids), log });
  const guards = createGuards({ database });
  const agents = createDefaultAgents(visibility);
  const namedProblems = createNamedItems(dependencies);
  const explainKey = createKeyExplain({
    ...{ authz, visibility, limits, credentials },
  });
  const validating = { database, guards, agents, namedProblems };
  return {
    recordUse: uses.record,
    ...createKeyManagement({ authz, ...validating }),
    preview: createPreview({ visibility, ...validating }),
    async explain(caller, id, target) {
      await guards.getKey(caller, id);
      await dependencies.limitExplain(caller.person);
      return explainKey(id, target);
    },
    explainKey,
    findIds: (nameOrId) => findKeyIds(pool, nameOrId),
    async list(caller, page) {
      const rows = await listKeys(pool, caller.person, {
        limit: page.limit + 1,
        cursor: page.cursor ?? null,
      });
      const assignments = rows.map(({ default_agent_id }) => default_agent_id);
      const reach = await agents.reachToShow(caller, assignments);
      const records = rows.map((row) => recordOf(row, reach));
      return cutPage(records, page);
    },
    async get(caller, id) {
      const row = await guards.getKey(caller, id);
      return recordOf(row, await agents.reachToShow(caller, [row.default_agent_id]));
    },
    requireOwn: guards.getKey,
    count: (account_id) => countKeys(pool, account_id),
    dropFromPolicies,
    exportOf: exportKeys,
    stop: uses.settled,
  };
}

import { createAgentStart } from './agent-start.ts';
import type { z } from 'zod';
import { forgetRevokedCredentials } from '../accounts/accounts.ts';
import type { Actor } from '../authz/authz.ts';
import { systemAuthority } from '../caller/actor.ts';
import type { Once } from '../caller/once.ts';
import type { SessionPrincipal } from '../caller/principal.ts';
import { createUseRecorder } from '../credentials/credentials.ts';
import type { Family } from '../content/items/schema.ts';
import type { Space } from '../content/content.ts';
import { createBackground } from '../platform/concurrency/background.ts';
import { Refusal } from '../platform/errors/refusal.ts';
import type { Queryable, Transaction } from '../platform/postgres/database.ts';
import type { ListQuery } from '../platform/http/list-query.ts';
import type { Page } from '../platform/http/pages.ts';
import type { KeysDependencies } from './dependencies.ts';
import type { PreviewedEdit } from './edit-preview.ts';
import { exportKeys } from './export/store.ts';
import { createExpiryNotices } from './expiry/expiry.ts';
import type { ExpiryNotices } from './expiry/expiry.ts';
import type { ExplainTarget } from './explain.ts';
import type { Inspection } from './inspection.ts';
import type { KnownTo } from './known-items.ts';
import type { ShownIn } from './shown-items.ts';
import { createMemberCredentials } from './member-credentials/member-credentials.ts';
import type { MemberCredentials } from './member-credentials/member-credentials.ts';
import { createManagedKeys } from './managed-keys.ts';
import type { ManagedKeys, PreviewedKey } from './managed-keys.ts';
import type {
  Explanation,
  KeyDraft,
  KeyEdit,
  OwnKeyRecord,
  Preview,
  PreviewPage,
} from './schema.ts';
import { createOrganizationKeys } from './services/organization-keys.ts';
import type { OrganizationKeys } from './services/organization-keys.ts';
import { backdateKeys, dropFromPolicies, findKeyIds, listEndedKeys, touchKeys } from './store.ts';
import { countKeys } from './guards-store.ts';
import type { KeyOwner } from './store.ts';

export type { IsKnown, KnownTo } from './known-items.ts';
export { knownItems } from './listed-items.ts';
export type { KnownItems } from './listed-items.ts';
export { differenceOf } from './shown-items.ts';
export type { ExplainedStep } from './explain.ts';
export { admittedView } from './admitted-view.ts';
export { deleteKeys } from './store.ts';
export type { Inspection } from './inspection.ts';

type OwnKey = z.infer<typeof OwnKeyRecord>;

/**
 * Operations on API keys: people's keys, which are managed in a session, and organizations' keys.
 */
export interface Keys {
  /** Queues an update of the key's `last_used_at`. */
  recordUse(id: string): void;
  /** Makes keys older, for the demo. */
  backdate(ids: readonly string[], days: number): Promise<void>;
  create(
    caller: SessionPrincipal,
    draft: KeyDraft,
    actor: Actor,
    once?: Once,
  ): Promise<OwnKey & { secret: string }>;
  /**
   * Works without OpenFGA, so that people can find keys to revoke; whether their default agents are
   * available is then null.
   */
  list(caller: SessionPrincipal, query: ListQuery): Promise<Page<OwnKey>>;
  get(caller: SessionPrincipal, id: string): Promise<OwnKey>;
  /** Returns where the caller's key runs; throws 404 unless the caller has this key. */
  requireOwn(caller: SessionPrincipal, id: string): Promise<{ runs_in: string | null }>;
  update(caller: SessionPrincipal, id: string, edit: KeyEdit, actor: Actor): Promise<OwnKey>;
  /** Returns what a key created from this draft would see; saves nothing. */
  previewDraft(
    caller: SessionPrincipal,
    draft: KeyDraft,
    page: PreviewPage | null,
  ): Promise<Preview>;
  /** Returns what a key of the caller sees now. */
  preview(caller: SessionPrincipal, id: string, page: PreviewPage | null): Promise<PreviewedKey>;
  /** Returns what a key of the caller would see after an edit; saves nothing. */
  previewEdit(
    caller: SessionPrincipal,
    id: string,
    request: Parameters<ManagedKeys['previewEdit']>[2],
  ): Promise<PreviewedEdit>;
  /** Explains why a key of the caller may or may not use an item. */
  explain(caller: SessionPrincipal, id: string, target: ExplainTarget): Promise<Explanation>;
  /** Explains a key of any owner, for operators. */
  explainKey(id: string, target: ExplainTarget): Promise<Explanation>;
  /** Returns the steps of an explanation of any credential, with their checks. */
  stepsOf: ManagedKeys['stepsOf'];
  /** Explains and previews credentials that are not keys. */
  inspection: Inspection;
  /** Returns what a person may know of the items of credentials. */
  knownTo: KnownTo;
  /** Returns what a view shows, and the known items that it hides. */
  shownIn: ShownIn;
  /** Returns the ids of the key with this id and of live keys with this name, of any owner. */
  findIds(nameOrId: string): Promise<readonly string[]>;
  /** Checks only ownership, so it works while OpenFGA is unavailable (authorization.md 5). */
  revoke(caller: SessionPrincipal, id: string, actor: Actor): Promise<void>;
  /** Returns the keys that use an item, of those that the caller may view. */
  using: ManagedKeys['using'];
  /** Returns what an agent gets that starts with a key and names a definition. */
  agentStart: ReturnType<typeof createAgentStart>;
  /** Returns the number of an account's live keys. */
  count(account_id: string): Promise<number>;
  /** Removes a deleted item from every policy that lists it (PO15). */
  dropFromPolicies(
    transaction: Transaction,
    item: { space: Space; family: Family; id: string },
  ): Promise<void>;
  /** Yields an account's keys, including revoked ones, without secrets, for the account export. */
  exportOf(db: Queryable, account_id: string, limit: number): AsyncIterable<object>;
  ofOrganization: OrganizationKeys;
  /** Credentials of members, as far as they reach into an organization. */
  ofMembers: MemberCredentials;
  /** Revokes the keys that their account no longer admits; runs once a minute. */
  revokeEnded(): Promise<void>;
  /** E-mails about keys that expire. */
  expiry: ExpiryNotices;
  start(): void;
  /** Resolves when queued updates are written, and background work has ended. */
  stop(): Promise<void>;
}

export function createKeys(dependencies: KeysDependencies): Keys {
  const { database, log } = dependencies;
  const { pool } = database;
  const uses = createUseRecorder({ write: (ids) => touchKeys(pool, ids), log });
  const managed = createManagedKeys(dependencies);
  const revokeEnded = createRevocationOfEnded(pool, managed);
  const cleanup = createBackground(revokeEnded, (error) =>
    log.warn({ err: error }, 'keys that no longer work could not be revoked'),
  );
  const expiry = createExpiryNotices(dependencies);
  const notices = createBackground(expiry.queueDue, (error) =>
    log.warn({ err: error }, 'e-mails about expiring keys could not be queued'),
  );
  return {
    recordUse: uses.record,
    backdate: (ids, days) => backdateKeys(pool, ids, days),
    // The kind of owner determines the shape of the record.
    create: async (caller, ...rest) =>
      (await managed.create(caller, ownerOf(caller), ...rest)) as OwnKey & { secret: string },
    list: async (caller, query) =>
      (await managed.list(caller, ownerOf(caller), query)) as Page<OwnKey>,
    get: async (caller, id) =>
      (await managed.get(caller, { id, owner: ownerOf(caller) })) as OwnKey,
    requireOwn: (caller, id) => managed.require({ id, owner: ownerOf(caller) }),
    update: async (caller, id, edit, actor) =>
      (await managed.update(caller, { id, owner: ownerOf(caller) }, edit, actor)) as OwnKey,
    previewDraft: (caller, draft, page) =>
      managed.previewDraft(caller, ownerOf(caller), draft, page),
    preview: (caller, id, page) => managed.preview(caller, { id, owner: ownerOf(caller) }, page),
    previewEdit: (caller, id, request) =>
      managed.previewEdit(caller, { id, owner: ownerOf(caller) }, request),
    explain: (caller, id, target) =>
      managed.explain(caller, { id, owner: ownerOf(caller) }, target),
    ...{ explainKey: managed.explainKey, stepsOf: managed.stepsOf },
    ...{ inspection: managed.inspection, knownTo: managed.knownTo },
    shownIn: managed.shownIn,
    using: managed.using,
    agentStart: createAgentStart(dependencies),
    findIds: (nameOrId) => findKeyIds(pool, nameOrId),
    revoke: (caller, id, actor) =>
      managed.revoke({ id, owner: ownerOf(caller) }, { actor, basis: null }),
    count: (id) => countKeys(pool, { kind: 'account', id }),
    dropFromPolicies,
    exportOf: exportKeys,
    ofOrganization: createOrganizationKeys(managed),
    ofMembers: createMemberCredentials(dependencies),
    ...{ revokeEnded, expiry },
    start() {
      cleanup.start();
      notices.start();
    },
    async stop() {
      await Promise.all([uses.settled(), cleanup.stop(), notices.stop()]);
    },
  };
}

// Keys that are listed at a time.
const PAGE_SIZE = 20;

/** Ignores that another gateway, or the person, has revoked the key in the meantime. */
function unlessRevoked(error: unknown): void {
  if (!(error instanceof Refusal && error.kind === 'absent')) throw error;
}

/** Creates the function that revokes the keys that their account no longer admits. */
const createRevocationOfEnded =
  (pool: Queryable, { revoke }: Pick<ManagedKeys, 'revoke'>) =>
  async (): Promise<void> => {
    for (;;) {
      const ended = await listEndedKeys(pool, PAGE_SIZE);
      if (ended.length === 0) return forgetRevokedCredentials(pool);
      for (const { id, account_id } of ended)
        await revoke({ id, owner: { kind: 'account', id: account_id } }, systemAuthority).catch(
          unlessRevoked,
        );
    }
  };

const ownerOf = ({ person: id }: SessionPrincipal): KeyOwner => ({ kind: 'account', id });

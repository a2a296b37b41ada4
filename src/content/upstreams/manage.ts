import type { Authz } from '../../authz/authz.ts';
import type { Authority } from '../../caller/actor.ts';
import { withoutSaving } from '../../caller/once.ts';
import type { Save } from '../../caller/once.ts';
import type { Queryable, Database, Transaction } from '../../platform/postgres/database.ts';
import { newId } from '../../platform/ids.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { Plans } from '../../platform/config/plans.ts';
import { absent, conflict, throwIfProblems, unprocessable } from '../../platform/errors/refusal.ts';
import type { MovedItem } from '../items/kind.ts';
import type { Pins, UpstreamUsers } from '../pins/pins.ts';
import { scopeOf } from '../spaces/space.ts';
import type { Space } from '../spaces/space.ts';
import { lockSpacesOf } from '../spaces/store.ts';
import type { Headers, SealedHeaders } from './headers.ts';
import type { OAuthSettings } from './oauth/settings.ts';
import type { Revocation } from './oauth/tokens/revoke.ts';
import { deleteFlows } from './oauth/store.ts';
import { deleteAuthorizations } from './oauth/tokens/store.ts';
import { addressProblems } from './rules.ts';
import type { UpstreamDraft, UpstreamEdit, UpstreamRecord } from './schema.ts';
import {
  countUpstreams,
  deleteUpstream,
  findUpstream,
  isUpstreamNamed,
  moveUpstream,
  saveUpstream,
} from './store.ts';
import type { UpstreamRef, UpstreamRow } from './store.ts';

export interface UpstreamManagementDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'editContent'>;
  outbound: Pick<Outbound, 'check'>;
  plans: Plans;
  headers: SealedHeaders;
  pins: Pick<Pins, 'usersOf'>;
  oauth: {
    settings: Pick<OAuthSettings, 'add' | 'change'>;
    /** Revokes tokens, after the change that deleted them. */
    revocation: Pick<Revocation, 'runSoon'>;
  };
}

interface UpstreamInput {
  name: string;
  url: string;
  headers: Headers;
  /** Null if it is not authorized with OAuth. */
  oauth: object | null;
}

/** Creates, updates and deletes upstreams. */
export function createUpstreamManagement(dependencies: UpstreamManagementDependencies) {
  const { database, authz, outbound, plans, headers, pins, oauth } = dependencies;

  async function requireFreeName(space_id: string, name: string, except: string | null) {
    if (await isUpstreamNamed(database.pool, { space_id, name, except })) throwNameTaken();
  }

  const { add, change } = createSaves(dependencies);

  return {
    add,
    change,
    problems: (draft: UpstreamDraft) => addressProblems(draft, outbound),

    async create(
      space: Space,
      draft: UpstreamDraft,
      authority: Authority,
      save: Save<UpstreamRecord> = withoutSaving,
    ) {
      const { id: space_id, quota_owner } = space;
      await requireFreeName(space_id, draft.name, null);
      throwIfProblems(addressProblems(draft, outbound));
      const ref = { id: newId(), space_id };
      const limit = plans[quota_owner.plan].items;
      return authz.editContent({
        ...editOf(space, ref.id, authority),
        reason: 'upstream.create',
        async work(transaction) {
          await lockSpacesOf(transaction, quota_owner);
          if ((await countUpstreams(transaction, quota_owner)) >= limit) throwLimitReached(limit);
          return save(transaction, await add(transaction, ref, draft));
        },
        detail: (created) => ({ after: auditedUpstream(created) }),
      });
    },

    async update(space: Space, id: string, edit: UpstreamEdit, authority: Authority) {
      const { id: space_id } = space;
      await getUpstream(database.pool, { space_id, id });
      if (edit.name !== undefined) await requireFreeName(space_id, edit.name, id);
      const updated = await authz.editContent({
        ...editOf(space, id, authority),
        reason: 'upstream.update',
        async work(transaction) {
          const before = await getUpstream(transaction, { space_id, id });
          return { before, after: await change(transaction, { space_id, id }, edit) };
        },
        detail: (changed) => auditedEdit(changed),
      });
      if (updated.before.oauth !== null) oauth.revocation.runSoon();
      return updated.after;
    },

    move: createMove({ headers, pins }),

    remove: createRemove({ database, authz, pins, oauth }),
  };
}

/** Creates the functions that save an upstream in the caller's own transaction. */
function createSaves({
  outbound,
  headers,
  oauth,
}: Pick<UpstreamManagementDependencies, 'outbound' | 'headers' | 'oauth'>) {
  const toRow = (ref: UpstreamRef, input: UpstreamInput) => ({
    name: input.name,
    url: input.url,
    header_names: Object.keys(input.headers).toSorted(),
    headers: headers.seal(ref, input.headers),
  });

  /** Saves a validated draft in the caller's own transaction, which must hold the space's lock. */
  async function add(transaction: Transaction, ref: UpstreamRef, draft: UpstreamDraft) {
    const input = { ...draft, oauth: draft.oauth ?? null, url: withoutFragment(draft.url) };
    const row = await saveUpstream(transaction, ref, toRow(ref, input));
    if (row === null) throwNameTaken();
    if (draft.oauth == null) return recordOf(row);
    await oauth.settings.add(transaction, ref.id, draft.oauth);
    return recordOf(await getUpstream(transaction, ref));
  }

  /** Applies an edit in the caller's own transaction, which must hold the space's lock. */
  async function change(transaction: Transaction, ref: UpstreamRef, edit: UpstreamEdit) {
    const stored = await getUpstream(transaction, ref);
    const input = merge(stored, edit, () => headers.unseal(stored));
    throwIfProblems(addressProblems(input, outbound));
    const row = await saveUpstream(transaction, stored, toRow(stored, input));
    if (row === null) throwNameTaken();
    if (stored.oauth === null && edit.oauth == null) return recordOf(row);
    const next = { url: row.url, oauth: edit.oauth };
    await oauth.settings.change(transaction, stored, next);
    return recordOf(await getUpstream(transaction, ref));
  }

  return { add, change };
}

/** Creates `remove`, which throws 409 if items use the upstream. */
const createRemove =
  ({
    database,
    authz,
    pins,
    oauth,
  }: Pick<UpstreamManagementDependencies, 'database' | 'authz' | 'pins' | 'oauth'>) =>
  async (space: Space, id: string, authority: Authority): Promise<void> => {
    const ref = { space_id: space.id, id };
    await getUpstream(database.pool, ref);
    const deleted = await authz.editContent({
      ...editOf(space, id, authority),
      reason: 'upstream.delete',
      async work(transaction) {
        const users = await pins.usersOf(transaction, id);
        if (countOf(users) > 0) throwIfInUse(users);
        const stored = await getUpstream(transaction, ref);
        if (!(await deleteUpstream(transaction, ref))) throw absent();
        return stored;
      },
      detail: (stored) => ({ before: auditedUpstream(stored) }),
    });
    if (deleted.oauth !== null) oauth.revocation.runSoon();
  };

/**
 * Creates `move`, which moves an upstream to another space with the only item that uses it, in the
 * transaction that moves the item. It throws 409 if other items use it too, or if its name is
 * taken.
 */
const createMove =
  ({ headers, pins }: Pick<UpstreamManagementDependencies, 'headers' | 'pins'>) =>
  async (transaction: Transaction, { id, from, to }: MovedItem): Promise<void> => {
    const users = await pins.usersOf(transaction, id);
    if (countOf(users) > 1) throwIfShared(users);
    const stored = await getUpstream(transaction, { id, space_id: from });
    if (await isUpstreamNamed(transaction, { space_id: to, name: stored.name, except: null }))
      throwNameTaken();
    const sealed = headers.seal({ id, space_id: to }, headers.unseal(stored));
    // Accounts that people connected, or began to, in one space must not serve those of the other.
    await deleteFlows(transaction, id);
    await deleteAuthorizations(transaction, { upstream_id: id });
    await moveUpstream(transaction, { id, from, to }, sealed);
  };

const editOf = (space: Space, id: string, authority: Authority) => ({
  ...authority,
  writes: [scopeOf(space)] as const,
  targets: [{ type: 'upstream', id }],
});

/** Returns the upstream. Throws 404 if this space has no such upstream. */
export async function getUpstream(db: Queryable, ref: UpstreamRef): Promise<UpstreamRow> {
  const row = await findUpstream(db, ref);
  if (row === null) throw absent('the space has no such upstream');
  return row;
}

/** Formats an upstream for API responses, with only the names of its headers. */
export function recordOf(row: UpstreamRow): UpstreamRecord {
  const { id, name, url, header_names, oauth, created_at, updated_at } = row;
  return { id, name, url, header_names, oauth, created_at, updated_at };
}

/**
 * Returns what the audit log records of an upstream: no header values, and not the query of its
 * address, which may contain a token.
 */
const auditedUpstream = ({ name, url, header_names, oauth }: UpstreamRecord) => {
  const { origin, pathname } = new URL(url);
  const audited = { name, url: `${origin}${pathname}`, header_names };
  return oauth === null ? audited : { ...audited, oauth };
};

const auditedEdit = ({ before, after }: { before: UpstreamRecord; after: UpstreamRecord }) => ({
  before: auditedUpstream(before),
  after: auditedUpstream(after),
});

/**
 * Merges an edit. If the origin changes, only the headers in the edit are kept, so that a stored
 * secret cannot be redirected. An edit that names all stored headers works even if these cannot be
 * decrypted.
 */
function merge(stored: UpstreamRow, edit: UpstreamEdit, unseal: () => Headers): UpstreamInput {
  const url = edit.url === undefined ? stored.url : withoutFragment(edit.url);
  const isSameOrigin = URL.parse(url)?.origin === URL.parse(stored.url)?.origin;
  const sentHeaders = edit.headers ?? {};
  const keepsStored =
    isSameOrigin && stored.header_names.some((name) => !Object.hasOwn(sentHeaders, name));
  const headers = Object.entries({ ...(keepsStored ? unseal() : {}), ...sentHeaders });
  const merged = headers.flatMap(([name, value]) =>
    value === null ? [] : [[name, value] as const],
  );
  const { name = stored.name, oauth = stored.oauth } = edit;
  return { name, url, oauth, headers: Object.fromEntries(merged) };
}

/** Returns the text unchanged if it is not a URL; validation reports that. */
function withoutFragment(text: string): string {
  const url = URL.parse(text);
  if (url === null) return text;
  url.hash = '';
  return url.href;
}

function throwNameTaken(): never {
  throw conflict('name_taken', 'Another upstream already has this name.', {
    detail: { pointer: '/name' },
  });
}

const countOf = (users: UpstreamUsers) =>
  Object.values(users).reduce((count, ids) => count + ids.length, 0);

function throwIfShared(users: UpstreamUsers): never {
  const message = 'Other items use this upstream. Delete them first.';
  throw conflict('upstream_in_use', message, { detail: users });
}

function throwIfInUse(users: UpstreamUsers): never {
  const message = 'Custom tools, prompts or resources use this upstream. Delete them first.';
  throw conflict('upstream_in_use', message, { detail: users });
}

const throwLimitReached = (limit: number): never => {
  throw unprocessable('limit_reached', `The plan allows ${limit} upstreams. Remove one first.`);
};

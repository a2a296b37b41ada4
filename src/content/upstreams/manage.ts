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
import type { Pins } from '../pins/pins.ts';
import { scopeOf } from '../spaces/space.ts';
import type { Space } from '../spaces/space.ts';
import { lockSpacesOf } from '../spaces/store.ts';
import type { Headers, SealedHeaders } from './headers.ts';
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
  pins: Pick<Pins, 'itemsOf'>;
}

interface UpstreamInput {
  name: string;
  url: string;
  headers: Headers;
}

/** Creates, updates and deletes upstreams. */
export function createUpstreamManagement(dependencies: UpstreamManagementDependencies) {
  const { database, authz, outbound, plans, headers, pins } = dependencies;

  async function requireFreeName(space_id: string, name: string, except: string | null) {
    if (await isUpstreamNamed(database.pool, { space_id, name, except })) throwNameTaken();
  }

  const toRow = (ref: UpstreamRef, input: UpstreamInput) => ({
    name: input.name,
    url: input.url,
    header_names: Object.keys(input.headers).toSorted(),
    headers: headers.seal(ref, input.headers),
  });

  /** Saves a validated draft in the caller's own transaction, which must hold the space's lock. */
  async function add(transaction: Transaction, ref: UpstreamRef, draft: UpstreamDraft) {
    const input = { ...draft, url: withoutFragment(draft.url) };
    const row = await saveUpstream(transaction, ref, toRow(ref, input));
    return recordOf(row ?? throwNameTaken());
  }

  /** Applies an edit in the caller's own transaction, which must hold the space's lock. */
  async function change(transaction: Transaction, ref: UpstreamRef, edit: UpstreamEdit) {
    const stored = await getUpstream(transaction, ref);
    const input = merge(stored, edit, () => headers.unseal(stored));
    throwIfProblems(addressProblems(input, outbound));
    const row = await saveUpstream(transaction, stored, toRow(stored, input));
    return recordOf(row ?? throwNameTaken());
  }

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
      const { after } = await authz.editContent({
        ...editOf(space, id, authority),
        reason: 'upstream.update',
        async work(transaction) {
          const before = await getUpstream(transaction, { space_id, id });
          return { before, after: await change(transaction, { space_id, id }, edit) };
        },
        detail: auditedEdit,
      });
      return after;
    },

    move: createMove({ headers, pins }),

    remove: createRemove({ database, authz, pins }),
  };
}

/** Creates `remove`, which throws 409 if custom tools use the upstream. */
const createRemove =
  ({
    database,
    authz,
    pins,
  }: Pick<UpstreamManagementDependencies, 'database' | 'authz' | 'pins'>) =>
  async (space: Space, id: string, authority: Authority): Promise<void> => {
    const ref = { space_id: space.id, id };
    await getUpstream(database.pool, ref);
    await authz.editContent({
      ...editOf(space, id, authority),
      reason: 'upstream.delete',
      async work(transaction) {
        const tools = await pins.itemsOf(transaction, id);
        if (tools.length > 0) throwIfInUse(tools);
        const stored = await getUpstream(transaction, ref);
        if (!(await deleteUpstream(transaction, ref))) throw absent();
        return stored;
      },
      detail: (deleted) => ({ before: auditedUpstream(deleted) }),
    });
  };

/**
 * Creates `move`, which moves an upstream to another space with the only tool that uses it, in the
 * transaction that moves the tool. It throws 409 if other tools use it too, or if its name is
 * taken.
 */
const createMove =
  ({ headers, pins }: Pick<UpstreamManagementDependencies, 'headers' | 'pins'>) =>
  async (transaction: Transaction, { id, from, to }: MovedItem): Promise<void> => {
    const tools = await pins.itemsOf(transaction, id);
    if (tools.length > 1) throwIfShared(tools);
    const stored = await getUpstream(transaction, { id, space_id: from });
    if (await isUpstreamNamed(transaction, { space_id: to, name: stored.name, except: null }))
      throwNameTaken();
    const sealed = headers.seal({ id, space_id: to }, headers.unseal(stored));
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
  const { id, name, url, header_names, created_at, updated_at } = row;
  return { id, name, url, header_names, created_at, updated_at };
}

/**
 * Returns what the audit log records of an upstream: no header values, and not the query of its
 * address, which may contain a token.
 */
const auditedUpstream = ({ name, url, header_names }: UpstreamRecord) => {
  const { origin, pathname } = new URL(url);
  return { name, url: `${origin}${pathname}`, header_names };
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
  return { name: edit.name ?? stored.name, url, headers: Object.fromEntries(merged) };
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

function throwIfShared(custom_tools: string[]): never {
  const message = 'Other custom tools use this upstream. Delete them first.';
  throw conflict('upstream_in_use', message, { detail: { custom_tools } });
}

function throwIfInUse(custom_tools: string[]): never {
  const message = 'Custom tools use this upstream. Delete them first.';
  throw conflict('upstream_in_use', message, { detail: { custom_tools } });
}

const throwLimitReached = (limit: number): never => {
  throw unprocessable('limit_reached', `The plan allows ${limit} upstreams. Remove one first.`);
};

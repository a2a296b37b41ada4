import type { Authz } from '../../authz/authz.ts';
import type { Actor, Authority } from '../../caller/actor.ts';
import { always } from '../../caller/once.ts';
import type { Once } from '../../caller/once.ts';
import type { Queryable, Database, Transaction } from '../../platform/postgres/database.ts';
import { newId } from '../../platform/ids.ts';
import type { Plans } from '../../platform/config/plans.ts';
import { absent, throwIfProblems } from '../../platform/errors/refusal.ts';
import { scopeOf } from '../spaces/space.ts';
import type { Space, TeamSpace } from '../spaces/space.ts';
import { lockSpacesOf } from '../spaces/store.ts';
import type { Draft, Edit, ItemKind } from './kind.ts';
import { draftOf, isSame, recordsOf } from './records.ts';
import type { ItemRecord } from './records.ts';
import {
  throwLimitReached,
  throwNameReserved,
  throwNameTaken,
  requireVersion,
} from './refusals.ts';
import type { Family } from './schema.ts';
import {
  countItems,
  deleteItem,
  findItem,
  findVersion,
  isTaken,
  moveToCatalog,
  saveItem,
} from './store.ts';
import type { ItemRow } from './store.ts';

/** Write operations on the items of one family. */
export interface ItemEdits<Content extends object = object> {
  /** Creates an item; a function that returns the draft is called only if it is created now. */
  create(
    space: Space,
    draft: Draft<Content> | (() => Promise<Draft<Content>>),
    authority: Authority,
    once?: Once,
  ): Promise<ItemRecord>;
  edit(space: Space, id: string, edit: Edit<Content>, authority: Authority): Promise<ItemRecord>;
  remove(space: Space, id: string, if_match: string | null, authority: Authority): Promise<void>;
  restore(
    space: Space,
    id: string,
    from: { version: number; if_match: string | null },
    authority: Authority,
  ): Promise<ItemRecord>;
  /**
   * Moves a team's item into its organization's catalog. The item keeps its id and its versions,
   * and is not organization-wide there. Throws 409 if the catalog has an item of that name.
   */
  promote(
    space: TeamSpace,
    id: string,
    if_match: string | null,
    authority: Authority,
  ): Promise<ItemRecord>;
  /**
   * Writes a validated draft in the caller's own transaction, which must hold the space's lock.
   * It creates the item, or its next version if `replaced` is the row of its last.
   */
  write(
    transaction: Transaction,
    ref: { space_id: string; id: string; replaced: ItemRow | null },
    draft: Draft<Content>,
    actor: Actor,
  ): Promise<void>;
}

export interface EditsDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'editContent'>;
  plans: Plans;
  /** Removes the item from every policy that names it (PO15). */
  dropFromPolicies(
    transaction: Transaction,
    item: { space: Space; family: Family; id: string },
  ): Promise<void>;
}

/** Write operations on items; each runs under the space's lock and writes to the audit log. */
export function createEdits<Content extends object>(
  kind: ItemKind<Content>,
  { database: { pool }, authz, plans, dropFromPolicies }: EditsDependencies,
): ItemEdits<Content> {
  const { family } = kind;
  const records = recordsOf(kind);
  const planEdit = createPlan(kind);
  const write = createWrite(kind);
  const change = createChange(kind, authz);
  const refTo = (space_id: string, id: string) => ({ space_id, family, id });

  async function getRow(db: Queryable, space_id: string, id: string) {
    const row = await findItem(db, refTo(space_id, id));
    if (row === null) throw absent();
    return row;
  }

  /** Reads the row again under the scope's lock, so that the second of two edits sees the first. */
  async function edit(space: Space, id: string, requested: Edit<Content>, authority: Authority) {
    const { id: space_id } = space;
    const before = await getRow(pool, space_id, id);
    const planned = await planEdit(pool, before, requested, space);
    if (planned === null) return records.complete(before);
    return change({ space, id, authority, verb: 'update' }, async (transaction) => {
      const stored = await getRow(transaction, space_id, id);
      const isUnchanged = stored.version === before.version;
      const draft = isUnchanged ? planned : await planEdit(transaction, stored, requested, space);
      if (draft === null) return { value: records.complete(stored), before: stored, after: stored };
      await write(transaction, { space_id, id, replaced: stored }, draft, authority.actor);
      const after = await getRow(transaction, space_id, id);
      return { value: records.complete(after), before: stored, after };
    });
  }

  return {
    write,
    edit,
    promote: createPromotion(kind, { getRow, change, pool }),
    create: (space, requested, authority, once = always) =>
      once(async (save) => {
        const { id: space_id } = space;
        const defaults = space.kind === 'organization' ? { organization_wide: false } : {};
        const sent = typeof requested === 'function' ? await requested() : requested;
        const draft = { ...defaults, ...sent };
        await planEdit.requireSavable(pool, draft, space, null);
        const id = newId();
        return change({ space, id, authority, verb: 'create' }, async (transaction) => {
          const { quota_owner } = space;
          const limit = plans[quota_owner.plan].items;
          await lockSpacesOf(transaction, quota_owner);
          if ((await countItems(transaction, { quota_owner, family })) >= limit)
            throwLimitReached(limit);
          await write(transaction, { space_id, id, replaced: null }, draft, authority.actor);
          const after = await getRow(transaction, space_id, id);
          const value = await save(transaction, records.complete(after));
          return { value, before: null, after };
        });
      }),
    remove: createRemoval(kind, { getRow, change, pool, dropFromPolicies }),
    async restore(space, id, { version, if_match }, authority) {
      const { id: space_id } = space;
      await getRow(pool, space_id, id);
      const earlier = await findVersion(pool, { space_id, id, version });
      if (earlier === null) throw absent();
      const next = () => ({ name: earlier.name, content: earlier.content as Content });
      return edit(space, id, { if_match, next }, authority);
    },
  };
}

interface EditDependencies {
  getRow(db: Queryable, space_id: string, id: string): Promise<ItemRow>;
  change: ReturnType<typeof createChange>;
  pool: Queryable;
}

/** Creates `remove`, which deletes an item with its versions. */
function createRemoval<Content extends object>(
  kind: ItemKind<Content>,
  dependencies: EditDependencies & Pick<EditsDependencies, 'dropFromPolicies'>,
): ItemEdits<Content>['remove'] {
  const { getRow, change, pool, dropFromPolicies } = dependencies;
  const { family } = kind;
  return async (space, id, if_match, authority) => {
    const { id: space_id } = space;
    requireVersion(await getRow(pool, space_id, id), if_match);
    await change({ space, id, authority, verb: 'delete' }, async (transaction) => {
      const before = await getRow(transaction, space_id, id);
      requireVersion(before, if_match);
      await kind.onRemoved?.(transaction, { id, space_id });
      await dropFromPolicies(transaction, { space, family, id });
      await deleteItem(transaction, { space_id, id });
      return { value: undefined, before, after: null };
    });
  };
}

/** Creates `promote`, which moves a team's item into its organization's catalog. */
function createPromotion<Content extends object>(
  kind: ItemKind<Content>,
  dependencies: EditDependencies,
): ItemEdits<Content>['promote'] {
  const { getRow, change, pool } = dependencies;
  const { family } = kind;
  return async (space, id, if_match, authority) => {
    const { id: from, organization_id: to } = space;
    const before = await getRow(pool, from, id);
    requireVersion(before, if_match);
    if (await isTaken(pool, { space_id: to, family, name: before.name, except: id }))
      throwNameTaken(kind);
    return change({ space, id, authority, verb: 'promote' }, async (transaction) => {
      const stored = await getRow(transaction, from, id);
      requireVersion(stored, if_match);
      if (!(await moveToCatalog(transaction, { id, from, to }))) throwNameTaken(kind);
      await kind.onMoved?.(transaction, { id, from, to });
      const after = await getRow(transaction, to, id);
      return { value: recordsOf(kind).complete(after), before: stored, after };
    });
  };
}

function createWrite<Content extends object>(kind: ItemKind<Content>): ItemEdits<Content>['write'] {
  return async (transaction, { space_id, id, replaced }, draft, actor) => {
    const version = (replaced?.version ?? 0) + 1;
    const { name, content, organization_wide = null } = draft;
    const head = kind.summaryOf(content);
    const written = { version, name, content, head, organization_wide, actor };
    const ref = { space_id, family: kind.family, id };
    if (!(await saveItem(transaction, ref, written))) throwNameTaken(kind);
    const item = { ...draft, id, space_id, version };
    await kind.onSaved?.(transaction, item, replaced && (replaced.content as Content));
  };
}

/** Result of a change, and the item before and after it; null if it did not or does not exist. */
interface Changed<T> {
  value: T;
  before: ItemRow | null;
  after: ItemRow | null;
}

/**
 * Creates a function that runs a change and records it in the audit log, with the versions before
 * and after it. The contents of versions are in the item's history.
 */
function createChange<Content extends object>(
  { noun, actions }: ItemKind<Content>,
  authz: EditsDependencies['authz'],
) {
  return async <T>(
    target: { space: Space; id: string; authority: Authority; verb: keyof typeof actions },
    work: (transaction: Transaction) => Promise<Changed<T>>,
  ): Promise<T> => {
    const { value } = await authz.editContent({
      ...target.authority,
      reason: actions[target.verb]!,
      writes: [scopeOf(target.space)],
      targets: [{ type: noun, id: target.id }],
      work,
      detail: ({ before, after }) => ({
        ...(before ? { before: versionOf(before) } : {}),
        ...(after ? { after: versionOf(after) } : {}),
      }),
    });
    return value;
  };
}

/** Returns what the audit log shows of an item; only items of a catalog can be for everyone. */
const versionOf = ({ name, version, organization_wide }: ItemRow) => ({
  ...{ name, version },
  ...(organization_wide === null ? {} : { organization_wide }),
});

const organizationWideOf = ({ organization_wide }: Draft<object>) =>
  organization_wide === undefined ? {} : { organization_wide };

function createPlan<Content extends object>(kind: ItemKind<Content>) {
  /** Throws 409 before 422; the unique index resolves races. */
  async function requireSavable(
    db: Queryable,
    draft: Draft<Content>,
    { id: space_id }: Space,
    stored: ItemRow | null,
  ) {
    const { name } = draft;
    const id = stored?.id ?? null;
    const itemName = { space_id, family: kind.family, name, except: id };
    // An item keeps its name even if a later release ships a built-in item of that name
    // (decisions/0019).
    if (name !== stored?.name) {
      if (kind.isReserved?.(name) === true) throwNameReserved(kind);
      if (await isTaken(db, itemName)) throwNameTaken(kind);
    }
    throwIfProblems((await kind.problems?.(db, { space_id, id, ...draft })) ?? []);
  }

  /** Returns the draft to save, after validating it; null if the edit changes nothing. */
  async function planEdit(db: Queryable, row: ItemRow, edit: Edit<Content>, space: Space) {
    requireVersion(row, edit.if_match);
    const stored = draftOf<Content>(row);
    // Only the routes of a catalog change whether an item is organization-wide.
    const planned = { ...organizationWideOf(stored), ...edit.next(stored) };
    if (isSame(planned, stored)) return null;
    await requireSavable(db, planned, space, row);
    return planned;
  }

  return Object.assign(planEdit, { requireSavable });
}

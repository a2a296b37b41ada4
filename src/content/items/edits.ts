import type { Authz } from '../../authz/authz.ts';
import type { Actor, Authority } from '../../caller/actor.ts';
import type { Connection, Database, Transaction } from '../../platform/postgres/database.ts';
import { newId } from '../../platform/ids.ts';
import type { Plans } from '../../platform/config/plans.ts';
import { absent, throwIfAny } from '../../platform/errors/refusal.ts';
import { scopeOf } from '../spaces/space.ts';
import type { Space } from '../spaces/space.ts';
import type { Draft, Edit, ItemKind } from './kind.ts';
import { draftOf, isSame, recordsOf } from './records.ts';
import type { ItemRecord } from './records.ts';
import { throwLimitReached, throwNameTaken, requireVersion } from './refusals.ts';
import type { Family } from './schema.ts';
import { countItems, deleteItem, findItem, findVersion, isTaken, saveItem } from './store.ts';
import type { ItemRow } from './store.ts';

/** Write operations on the items of one family. */
export interface ItemEdits<Content extends object = object> {
  create(space: Space, draft: Draft<Content>, by: Authority): Promise<ItemRecord>;
  edit(space: Space, id: string, edit: Edit<Content>, by: Authority): Promise<ItemRecord>;
  remove(space: Space, id: string, if_match: string | null, by: Authority): Promise<void>;
  restore(
    space: Space,
    id: string,
    from: { version: number; if_match: string | null },
    by: Authority,
  ): Promise<ItemRecord>;
  /**
   * Writes a draft in the caller's own transaction, which must hold the space's lock and have
   * validated it: version 1 creates the item, a higher one updates it.
   */
  write(
    transaction: Transaction,
    at: { space_id: string; id: string; version: number },
    draft: Draft<Content>,
    actor: Actor,
  ): Promise<void>;
}

export interface ItemsDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'editContent'>;
  plans: Plans;
  /** Removes the item from every policy that names it (PO15). */
  dropFromPolicies(
    transaction: Transaction,
    item: { space: Space; family: Family; id: string },
  ): Promise<void>;
}

/** Write operations on items; each runs under the space's lock and is audited. */
export function createEdits<Content extends object>(
  kind: ItemKind<Content>,
  { database: { pool }, authz, plans, dropFromPolicies }: ItemsDependencies,
): ItemEdits<Content> {
  const { family } = kind;
  const records = recordsOf(kind);
  const planEdit = createPlan(kind);
  const write = createWrite(kind);
  const change = createChange(kind, authz);
  const refTo = (space_id: string, id: string) => ({ space_id, family, id });

  async function getRow(connection: Connection, space_id: string, id: string) {
    const row = await findItem(connection, refTo(space_id, id));
    if (row === null) throw absent();
    return row;
  }

  /** Reads the row again under the scope's lock, so that the second of two edits sees the first. */
  async function edit(space: Space, id: string, requested: Edit<Content>, by: Authority) {
    const { id: space_id } = space;
    const before = await getRow(pool, space_id, id);
    const planned = await planEdit(pool, before, requested, space);
    if (planned === null) return records.whole(before);
    return change({ space, id, by, verb: 'update' }, async (transaction) => {
      const stored = await getRow(transaction, space_id, id);
      const isAsPlanned = stored.version === before.version;
      const draft = isAsPlanned ? planned : await planEdit(transaction, stored, requested, space);
      if (draft === null) return records.whole(stored);
      await write(transaction, { space_id, id, version: stored.version + 1 }, draft, by.actor);
      return records.whole(await getRow(transaction, space_id, id));
    });
  }

  return {
    write,
    edit,
    async create(space, draft, by) {
      const { id: space_id } = space;
      await planEdit.requireSavable(pool, draft, space, null);
      const id = newId();
      return change({ space, id, by, verb: 'create' }, async (transaction) => {
        const { quota_owner } = space;
        const limit = plans[quota_owner.plan].items;
        if ((await countItems(transaction, { quota_owner, family })) >= limit)
          throwLimitReached(limit);
        await write(transaction, { space_id, id, version: 1 }, draft, by.actor);
        return records.whole(await getRow(transaction, space_id, id));
      });
    },
    async remove(space, id, if_match, by) {
      const { id: space_id } = space;
      requireVersion(await getRow(pool, space_id, id), if_match);
      await change({ space, id, by, verb: 'delete' }, async (transaction) => {
        requireVersion(await getRow(transaction, space_id, id), if_match);
        await kind.removed?.(transaction, { id, space_id });
        await dropFromPolicies(transaction, { space, family, id });
        await deleteItem(transaction, { space_id, id });
      });
    },
    async restore(space, id, { version, if_match }, by) {
      const { id: space_id } = space;
      await getRow(pool, space_id, id);
      const past = await findVersion(pool, { space_id, id, version });
      if (past === null) throw absent();
      const next = () => ({ name: past.name, content: past.content as Content });
      return edit(space, id, { if_match, next }, by);
    },
  };
}

function createWrite<Content extends object>(kind: ItemKind<Content>): ItemEdits<Content>['write'] {
  return async (transaction, { space_id, id, version }, draft, actor) => {
    const { name, content } = draft;
    const written = { version, name, content, head: kind.headOf(content), actor };
    const ref = { space_id, family: kind.family, id };
    if (!(await saveItem(transaction, ref, written))) throwNameTaken(kind);
    await kind.saved?.(transaction, { ...draft, id, space_id, version });
  };
}

function createChange<Content extends object>(
  { noun, actions }: ItemKind<Content>,
  authz: ItemsDependencies['authz'],
) {
  return <T>(
    at: { space: Space; id: string; by: Authority; verb: 'create' | 'update' | 'delete' },
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T> =>
    authz.editContent({
      ...at.by,
      reason: actions[at.verb],
      writes: [scopeOf(at.space)],
      targets: [{ type: noun, id: at.id }],
      work,
    });
}

function createPlan<Content extends object>(kind: ItemKind<Content>) {
  /** Throws 409 before 422; the unique index resolves races. */
  async function requireSavable(
    connection: Connection,
    draft: Draft<Content>,
    { id: space_id }: Space,
    stored: ItemRow | null,
  ) {
    const { name } = draft;
    const id = stored?.id ?? null;
    const others = { space_id, family: kind.family, name, except: id };
    // An item keeps its name even if a later release ships one of that name (decisions/0019).
    if (name !== stored?.name)
      if (kind.isReserved?.(name) === true || (await isTaken(connection, others)))
        throwNameTaken(kind);
    throwIfAny((await kind.problems?.(connection, { space_id, id, ...draft })) ?? []);
  }

  /** Returns the draft to save, after validating it; null if the edit changes nothing. */
  async function planEdit(connection: Connection, row: ItemRow, edit: Edit<Content>, space: Space) {
    requireVersion(row, edit.if_match);
    const stored = draftOf<Content>(row);
    const planned = edit.next(stored);
    if (isSame(planned, stored)) return null;
    await requireSavable(connection, planned, space, row);
    return planned;
  }

  return Object.assign(planEdit, { requireSavable });
}

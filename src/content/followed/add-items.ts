import type { Authz } from '../../authz/authz.ts';
import type { Action } from '../../caller/actions.ts';
import type { Actor, Authority } from '../../caller/actor.ts';
import type { Database, Queryable, Transaction } from '../../platform/postgres/database.ts';
import type { Plans } from '../../platform/config/plans.ts';
import { absent } from '../../platform/errors/refusal.ts';
import { throwLimitReached } from '../items/refusals.ts';
import type { Items } from '../items/items.ts';
import { draftOf } from '../items/records.ts';
import { countItems, findItem, listNames } from '../items/store.ts';
import type { Pins } from '../pins/pins.ts';
import { scopeOf } from '../spaces/space.ts';
import type { Space } from '../spaces/space.ts';
import { lockSpacesOf } from '../spaces/store.ts';
import { getUpstream } from '../upstreams/manage.ts';
import { planItems } from './plan.ts';
import type { AddedFamily, Plan, Wish } from './plan.ts';
import type { Prepared } from './prepare.ts';

export interface AddDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'editContent'>;
  plans: Plans;
  pins: Pick<Pins, 'rowsOf' | 'release'> & {
    content: Pick<Pins['content'], 'rowsOf' | 'release'>;
  };
  items: Readonly<Record<AddedFamily, Pick<Items, 'kind' | 'write'>>>;
}

/** The items of one family to add. */
export interface Part {
  family: AddedFamily;
  prepared: readonly Prepared[];
  wish: Wish;
}

export interface AddRequest {
  space: Space;
  upstream_id: string;
  parts: readonly Part[];
  action: Extract<Action, `upstream.${string}`>;
  isPreview: boolean;
  /** Called in the transaction, after the items are saved. */
  onSaved?(transaction: Transaction): Promise<void>;
  /** Whether the transaction is needed even if no item is added. */
  isNeeded?: boolean;
}

export interface FamilyPlan {
  family: AddedFamily;
  plan: Plan;
}

/** Result of each part; if nothing was saved, the result that saving would have. */
export interface Outcome {
  isSaved: boolean;
  plans: readonly FamilyPlan[];
}

/**
 * Adds and approves what an upstream offers: all that can be, or none if the plan does not allow as
 * many.
 */
export function createAddItems(dependencies: AddDependencies) {
  const { database, authz } = dependencies;
  const planOf = createPlanning(dependencies);
  const save = createSave(dependencies);

  return async function addItems(request: AddRequest, authority: Authority): Promise<Outcome> {
    const { space, upstream_id, action, isPreview, onSaved, isNeeded = false } = request;
    const planned = await planOf(database.pool, request);
    const isIdle = planned.every(({ plan }) => plan.created.length + plan.updated.length === 0);
    if (isPreview || (isIdle && !isNeeded)) return { isSaved: false, plans: planned };
    return authz.editContent({
      ...authority,
      reason: action,
      writes: [scopeOf(space)],
      targets: [{ type: 'upstream', id: upstream_id }],
      detail: ({ plans }) => ({
        created: sumOf(plans, 'created'),
        updated: sumOf(plans, 'updated'),
        skipped: sumOf(plans, 'skipped'),
      }),
      async work(transaction) {
        await lockSpacesOf(transaction, space.quota_owner);
        await getUpstream(transaction, { space_id: space.id, id: upstream_id });
        const plans = await planOf(transaction, request);
        for (const { family, plan } of plans)
          await save(transaction, { space, family }, plan, authority.actor);
        await onSaved?.(transaction);
        return { isSaved: true, plans };
      },
    });
  };
}

const sumOf = (plans: readonly FamilyPlan[], part: keyof Plan) =>
  plans.reduce((sum, { plan }) => sum + plan[part].length, 0);

/** Creates the function that plans each part; throws 422 if the plan's limit would be exceeded. */
function createPlanning({ plans, pins, items }: AddDependencies) {
  async function pinnedOf(db: Queryable, upstream_id: string, family: AddedFamily) {
    if (family !== 'tool')
      return (await pins.content.rowsOf(db, upstream_id)).filter((row) => row.family === family);
    const rows = await pins.rowsOf(db, upstream_id);
    return rows.map(({ tool, ...row }) => ({ ...row, source: tool }));
  }

  async function planPart(
    db: Queryable,
    { id: space_id, quota_owner }: Space,
    upstream_id: string,
    { family, prepared, wish }: Part,
  ): Promise<FamilyPlan> {
    const taken = new Set(await listNames(db, { space_id, family }));
    const { kind } = items[family];
    const isTaken = (name: string) => taken.has(name) || kind.isReserved?.(name) === true;
    const pinned = await pinnedOf(db, upstream_id, family);
    const plan = planItems(family, prepared, { pinned, isTaken }, wish);
    const limit = plans[quota_owner.plan].items;
    const added = plan.created.length;
    if (added > 0 && (await countItems(db, { quota_owner, family })) + added > limit)
      throwLimitReached(limit);
    return { family, plan };
  }

  return async (db: Queryable, { space, upstream_id, parts }: AddRequest) => {
    const planned: FamilyPlan[] = [];
    for (const part of parts) planned.push(await planPart(db, space, upstream_id, part));
    return planned;
  };
}

/** Creates the function that saves a plan. */
function createSave({ items, pins }: Pick<AddDependencies, 'items' | 'pins'>) {
  const releasePin = (
    transaction: Transaction,
    family: AddedFamily,
    ref: { space_id: string; item_id: string },
  ) => (family === 'tool' ? pins : pins.content).release(transaction, ref);

  async function approve(
    transaction: Transaction,
    { space: { id: space_id }, family }: { space: Space; family: AddedFamily },
    { prepared: { pin, content }, pinned }: Plan['updated'][number],
    actor: Actor,
  ): Promise<void> {
    const id = pinned.item_id;
    const replaced = await findItem(transaction, { space_id, family, id });
    if (replaced === null) throw absent();
    if (pinned.pin === pin) await releasePin(transaction, family, { space_id, item_id: id });
    else
      await items[family].write(
        transaction,
        { space_id, id, replaced },
        { ...draftOf<object>(replaced), content },
        actor,
      );
  }

  return async function save(
    transaction: Transaction,
    target: { space: Space; family: AddedFamily },
    plan: Plan,
    actor: Actor,
  ): Promise<void> {
    const { space, family } = target;
    const defaults = space.kind === 'organization' ? { organization_wide: false } : {};
    for (const { prepared, item_id: id } of plan.created) {
      const { name, content } = prepared;
      const ref = { space_id: space.id, id, replaced: null };
      await items[family].write(transaction, ref, { ...defaults, name, content }, actor);
    }
    for (const one of plan.updated) await approve(transaction, target, one, actor);
  };
}

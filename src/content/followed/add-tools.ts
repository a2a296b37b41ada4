import type { Authz } from '../../authz/authz.ts';
import type { Action } from '../../caller/actions.ts';
import type { Actor, Authority } from '../../caller/actor.ts';
import type { Database, Queryable, Transaction } from '../../platform/postgres/database.ts';
import type { Plans } from '../../platform/config/plans.ts';
import { absent } from '../../platform/errors/refusal.ts';
import { throwLimitReached } from '../items/refusals.ts';
import { draftOf } from '../items/records.ts';
import { countItems, findItem } from '../items/store.ts';
import type { Pins } from '../pins/pins.ts';
import { scopeOf } from '../spaces/space.ts';
import type { Space } from '../spaces/space.ts';
import { lockSpacesOf } from '../spaces/store.ts';
import { readToolNames } from '../tools/store.ts';
import type { CustomTools } from '../tools/tools.ts';
import type { McpContent, ToolContent } from '../tools/schema.ts';
import { getUpstream } from '../upstreams/manage.ts';
import { planTools } from './plan.ts';
import type { Plan, Wish } from './plan.ts';
import type { PreparedTool } from './prepare.ts';
import type { AddedTool, UpstreamImported } from './schema.ts';
import { warningsOf } from './warnings.ts';

export interface AddToolsDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'editContent'>;
  plans: Plans;
  pins: Pick<Pins, 'rowsOf' | 'release'>;
  customTools: Pick<CustomTools, 'kind' | 'write'>;
}

export interface AddRequest {
  space: Space;
  upstream_id: string;
  prepared: readonly PreparedTool[];
  wish: Wish;
  action: Extract<Action, `upstream.${string}`>;
  isPreview: boolean;
  /** Called in the transaction, after the tools are saved. */
  onSaved?(transaction: Transaction): Promise<void>;
  /** Whether the transaction is needed even if no tool is added. */
  isNeeded?: boolean;
}

/**
 * Adds and approves tools of an upstream: all that can be, or none if the plan does not allow as
 * many.
 */
export function createAddTools({
  database,
  authz,
  plans,
  pins,
  customTools,
}: AddToolsDependencies) {
  const save = createSave({ pins, customTools });

  async function planOf(db: Queryable, { space, upstream_id, prepared, wish }: AddRequest) {
    const taken = new Set(await readToolNames(db, space.id));
    const pinned = await pins.rowsOf(db, upstream_id);
    const isTaken = (name: string) =>
      taken.has(name) || customTools.kind.isReserved?.(name) === true;
    const plan = planTools(prepared, { pinned, isTaken }, wish);
    const { quota_owner } = space;
    const limit = plans[quota_owner.plan].items;
    const added = plan.created.length;
    if (added > 0 && (await countItems(db, { quota_owner, family: 'tool' })) + added > limit)
      throwLimitReached(limit);
    return plan;
  }

  return async function addTools(
    request: AddRequest,
    authority: Authority,
  ): Promise<UpstreamImported> {
    const { space, upstream_id, action, isPreview, onSaved, isNeeded = false } = request;
    const planned = await planOf(database.pool, request);
    if (isPreview) return previewOf(space, planned);
    if (!isNeeded && planned.created.length + planned.updated.length === 0)
      return previewOf(space, planned);
    return authz.editContent({
      ...authority,
      reason: action,
      writes: [scopeOf(space)],
      targets: [{ type: 'upstream', id: upstream_id }],
      detail: ({ created, updated, skipped }) => ({
        created: created.length,
        updated: updated.length,
        skipped: skipped.length,
      }),
      async work(transaction) {
        await lockSpacesOf(transaction, space.quota_owner);
        await getUpstream(transaction, { space_id: space.id, id: upstream_id });
        const plan = await planOf(transaction, request);
        const result = await save(transaction, space, plan, authority.actor);
        await onSaved?.(transaction);
        return result;
      },
    });
  };
}

function createSave({ pins, customTools }: Pick<AddToolsDependencies, 'pins' | 'customTools'>) {
  async function create(
    transaction: Transaction,
    space: Space,
    { prepared: { content, tool }, item_id: id, name }: Plan['created'][number],
    actor: Actor,
  ): Promise<AddedTool> {
    const defaults = space.kind === 'organization' ? { organization_wide: false } : {};
    const ref = { space_id: space.id, id, replaced: null };
    await customTools.write(transaction, ref, { ...defaults, name, content }, actor);
    return addedOf({ id, name, tool });
  }

  async function approve(
    transaction: Transaction,
    { id: space_id }: Space,
    { prepared: { content, tool }, item_id: id, pinned }: Plan['updated'][number],
    actor: Actor,
  ): Promise<AddedTool> {
    const replaced = await findItem(transaction, { space_id, family: 'tool', id });
    if (replaced === null) throw absent();
    if (pinned.pin === tool.pin) await pins.release(transaction, { space_id, item_id: id });
    else
      await customTools.write(
        transaction,
        { space_id, id, replaced },
        { ...draftOf<ToolContent>(replaced), content },
        actor,
      );
    return addedOf({ id, name: replaced.name, tool });
  }

  return async function save(
    transaction: Transaction,
    space: Space,
    plan: Plan,
    actor: Actor,
  ): Promise<UpstreamImported> {
    const created: AddedTool[] = [];
    const updated: AddedTool[] = [];
    for (const one of plan.created) created.push(await create(transaction, space, one, actor));
    for (const one of plan.updated) updated.push(await approve(transaction, space, one, actor));
    return { created, updated, skipped: plan.skipped, warnings: warningsIn(space, plan, updated) };
  };
}

/** Returns what would be saved. */
function previewOf(space: Space, plan: Plan): UpstreamImported {
  const created = plan.created.map(({ prepared: { tool }, name }) =>
    addedOf({ id: null, name, tool }),
  );
  const updated = plan.updated.map(({ prepared: { tool }, item_id, pinned }) =>
    addedOf({ id: item_id, name: pinned.name, tool }),
  );
  return { created, updated, skipped: plan.skipped, warnings: warningsIn(space, plan, updated) };
}

const addedOf = ({
  id,
  name,
  tool,
}: {
  id: string | null;
  name: string;
  tool: PreparedTool['tool'];
}): AddedTool => ({ tool: tool.name, name, id, pin: tool.pin, description: tool.description });

const warningsIn = (space: Space, plan: Plan, updated: readonly AddedTool[]) =>
  warningsOf(space, [
    ...plan.created.map(({ prepared, name }) => ({ name, ...schemaOf(prepared) })),
    ...plan.updated.map(({ prepared }, index) => ({
      name: updated[index]!.name,
      ...schemaOf(prepared),
    })),
  ]);

const schemaOf = ({ tool, content }: { tool: { name: string }; content: McpContent }) => ({
  tool: tool.name,
  input_schema: content.input_schema,
});

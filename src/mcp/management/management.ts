import { authorityOf } from '../../caller/actor.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { etagOf, wholeItem, withSpace } from '../../content/content.ts';
import type {
  CustomTools,
  Draft,
  ItemRecord,
  Items,
  Resources,
  Space,
} from '../../content/content.ts';
import { absent, isRefusal, unprocessable } from '../../platform/errors/refusal.ts';
import { addressOf } from '../../visibility/visibility.ts';
import type { AgentItem, View, Visibility } from '../../visibility/visibility.ts';
import type { Call } from '../protocol/call.ts';
import type { Cursors } from '../protocol/cursor.ts';
import type { ParsedArguments } from './arguments.ts';
import type { Management, Verb } from './context.ts';
import type { PageArguments } from './entries.ts';
import { createGrep } from './grep.ts';
import { createTargets, spaceOfItem } from './targets.ts';
import type { TargetsDependencies } from './targets.ts';

export interface ManagementDependencies {
  visibility: Pick<Visibility, 'list' | 'reach' | 'precompute' | 'mayRead' | 'components'> &
    TargetsDependencies;
  items: Readonly<
    Record<'prompt' | 'agent', Items> & { resource: Resources; custom_tool: CustomTools }
  >;
  catalog: Pick<Catalog, 'promptById'>;
  cursors: Cursors;
}

interface Work {
  call: Call;
  view: View;
  items: Items;
  input: ParsedArguments;
}

/**
 * Creates the operations of the management tools: reads of the items in the caller's lists, and the
 * same edits as over REST. The permission has already been checked, as for every tool call.
 */
export function createManagement(dependencies: ManagementDependencies): Management {
  const { visibility, items } = dependencies;
  const operations: Readonly<Record<Verb, (work: Work) => unknown>> = {
    ...createReads(dependencies),
    ...createWrites(visibility),
  };
  const grep = createGrep({
    visibility,
    readResource: (...args) => items.resource.contentAt(...args),
  });
  return {
    perform: async (verb, noun, call, input) =>
      operations[verb]({ call, view: await call.view(), items: items[noun], input }),
    grep: async (call, ...args) => grep(call, await call.view(), ...args),
  };
}

function createReads({ visibility, catalog, cursors }: ManagementDependencies) {
  /** Returns a built-in prompt; it has no version and cannot be edited. */
  function platformPrompt(id: string) {
    const prompt = catalog.promptById(id);
    if (prompt === undefined) throw absent('removed from the catalog');
    const { deprecated: _, ...shown } = prompt;
    return shown;
  }

  return {
    list({ call, view, items, input }: Work) {
      const all = view.places.flatMap(({ contents }) => contents.items);
      const stored = new Map(all.map((one) => [one.id, one]));
      const own = (id: string) => {
        const one = stored.get(id)!;
        const space = spaceOfItem(call.caller, view, one);
        return withSpace(space, items.kind, items.listed(one));
      };
      const { family } = items.kind;
      const { limit, cursor } = input.body as PageArguments;
      const sealed = [`managed ${family}`, call.caller.credential.id] as const;
      // The cursor is an item's address, so it stays valid after the item is deleted.
      const after = cursor === undefined ? '' : cursors.open(...sealed, cursor);
      const rest = visibility
        .list(view, family)
        .filter((one) => isManaged(one) && addressOf(one) > after);
      const page = rest.slice(0, limit);
      return {
        data: page.map(({ id, space_id }) =>
          space_id === null
            ? summaryOf(id)
            : withApplicableComponents(visibility, view, space_id, own(id)),
        ),
        next_cursor: rest.length > limit ? cursors.seal(...sealed, addressOf(page.at(-1)!)) : null,
      };
    },
    async get({ call, view, items, input: { target } }: Work) {
      const item = visibility.reach(view, items.kind.family, target.id);
      if (item === null || !isManaged(item)) throw absent('not accessible');
      const { space_id } = item;
      if (space_id === null) return platformPrompt(item.id);
      const record = await items.get(space_id, item.id);
      const shown = wholeItem(spaceOfItem(call.caller, view, { space_id }), items.kind, record);
      return withApplicableComponents(visibility, view, space_id, shown);
    },
  };

  function summaryOf(id: string) {
    const { messages: _, ...head } = platformPrompt(id);
    return head;
  }
}

type ItemOrigin = { family: string; origin?: string };

/** Returns whether management tools cover the item: of all tools, only custom tools. */
const isManaged = ({ family, origin }: ItemOrigin) => family !== 'tool' || origin === 'custom';

/**
 * Creates the edits. Their results include content only if the caller may read the item over MCP;
 * an item that the caller may write but not read stays writable.
 */
function createWrites(visibility: ManagementDependencies['visibility']) {
  const targets = createTargets(visibility);

  async function resultOf({ call, view, items }: Work, space: Space, record: ItemRecord) {
    const { family, nameField } = items.kind;
    const { id, version } = record;
    const item = { family, space_id: space.id, id, name: record[nameField] as string };
    // The edit is committed: if the read permission cannot be decided, omit the content.
    const isReadable = await visibility
      .mayRead(call.caller.quota_owner.id, view, item)
      .catch(() => false);
    return isReadable
      ? withApplicableComponents(visibility, view, space.id, wholeItem(space, items.kind, record))
      : { id, version };
  }

  async function edit(work: Work) {
    const { call, view, items, input } = work;
    const { target, body } = input;
    const space = await targets.spaceOfTarget(work, target.id, 'update');
    const next = (stored: Draft<object>) => items.kind.merge(stored, body);
    const change = { if_match: matchOf(target), next };
    try {
      const edited = items.edit(space, target.id, change, authorityOfCall(call));
      return await resultOf(work, space, await edited);
    } catch (error) {
      const isSeen = visibility.reach(view, items.kind.family, target.id) !== null;
      throw isSeen ? error : withoutContent(error);
    }
  }

  return {
    async create(work: Work) {
      const { call, items, input } = work;
      const space = await targets.spaceForCreate(work, input.target.space);
      const draft = await items.kind.draftOf(input.body, space);
      return resultOf(work, space, await items.create(space, draft, authorityOfCall(call)));
    },
    // A draft has every field, so merging it replaces the item.
    update: edit,
    patch: edit,
    async delete(work: Work) {
      const { call, items } = work;
      const { target } = work.input;
      const space = await targets.spaceOfTarget(work, target.id, 'delete');
      await items.remove(space, target.id, matchOf(target), authorityOfCall(call));
      return { deleted: target.id };
    },
  };
}

/** Keeps only the code: messages and pointers of a validation error quote stored content. */
const withoutContent = (error: unknown): unknown =>
  isRefusal(error) && error.kind === 'unprocessable'
    ? unprocessable(error.code, 'The item cannot be saved with these changes.')
    : error;

/** Omits components that do not apply to the caller, as `agent_context` does. */
function withApplicableComponents(
  visibility: Pick<Visibility, 'components'>,
  view: View,
  space_id: string,
  record: ItemRecord,
) {
  const { components } = record as Partial<Pick<AgentItem, 'components'>>;
  if (components === undefined) return record;
  const names = visibility.components(view, { space_id, components });
  return { ...record, components: components.filter(({ name }) => names.includes(name)) };
}

const matchOf = ({ if_version }: ParsedArguments['target']): string | null =>
  if_version === undefined ? null : etagOf(if_version);

const authorityOfCall = ({ caller, call_id, address }: Call) =>
  authorityOf(caller, { id: call_id, address: address() });

import { authorityOf } from '../../caller/actor.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { etagOf } from '../../content/items/items.ts';
import type { Draft, ItemRecord, Items } from '../../content/items/items.ts';
import { personalSpaceOf } from '../../content/spaces/spaces.ts';
import type { Space } from '../../content/spaces/spaces.ts';
import type { Resources } from '../../content/resources/resources.ts';
import type { CustomTools } from '../../content/tools/tools.ts';
import { absent, isRefusal, unavailable, unprocessable } from '../../platform/errors/refusal.ts';
import type { AgentItem, View, Visibility } from '../../visibility/visibility.ts';
import type { Call } from '../protocol/call.ts';
import type { Cursors } from '../protocol/cursor.ts';
import type { Parsed } from './arguments.ts';
import type { Management, Verb } from './context.ts';
import type { PageArguments } from './entries.ts';
import { createGrep } from './grep.ts';

export interface ManagementDependencies {
  visibility: Pick<Visibility, 'list' | 'reach' | 'settle' | 'mayRead' | 'components'>;
  items: Readonly<
    Record<'prompt' | 'agent', Items> & { resource: Resources; custom_tool: CustomTools }
  >;
  catalog: Pick<Catalog, 'promptById'>;
  cursors: Cursors;
}

interface Work {
  call: Call;
  view: View;
  /** The space a write goes to, and a read finds the item in. */
  space: Space;
  items: Items;
  input: Parsed;
}

/**
 * What lists and reads show the caller, and the edits of REST under the caller's own name. Whether
 * they may is decided before, with every other tool's call.
 */
export function createManagement(dependencies: ManagementDependencies): Management {
  const { visibility, items } = dependencies;
  const acts: Readonly<Record<Verb, (work: Work) => unknown>> = {
    ...createReads(dependencies),
    ...createWrites(visibility),
  };
  const grep = createGrep({
    visibility,
    readResource: (...wanted) => items.resource.contentAt(...wanted),
  });
  return {
    async act(verb, noun, call, input) {
      const space = personalSpaceOf(call.caller);
      return acts[verb]({ call, view: viewOf(call), space, items: items[noun], input });
    },
    grep: async (call, ...wanted) => grep(call, viewOf(call), ...wanted),
  };
}

function viewOf({ view }: Call): View {
  if (view === null) throw unavailable('what the caller reaches is not known');
  return view;
}

function createReads({ visibility, catalog, cursors }: ManagementDependencies) {
  /** A prompt that comes with the gateway has no version, and nobody edits it. */
  function platformPrompt(id: string) {
    const prompt = catalog.promptById(id);
    if (prompt === undefined) throw absent('left the catalogue');
    const { deprecated: _, ...shown } = prompt;
    return shown;
  }

  return {
    list({ call, view, items, input }: Work) {
      const all = view.places.flatMap(({ contents }) => contents.items);
      const stored = new Map(all.map((one) => [one.id, one]));
      const own = (id: string) => items.listed(stored.get(id)!);
      const { family } = items.kind;
      const { limit, cursor } = input.body as PageArguments;
      const sealed = [`managed ${family}`, call.caller.credential.id] as const;
      // An item that goes leaves its place behind, so whoever deletes a page may ask for the next.
      const after = cursor === undefined ? '' : cursors.open(...sealed, cursor);
      const rest = visibility
        .list(view, family)
        .filter((one) => isManaged(one) && one.name > after);
      const page = rest.slice(0, limit);
      const shown = (record: ItemRecord) => applying(visibility, view, record);
      return {
        data: page.map((one) => (isPlatform(one) ? headOf(one.id) : shown(own(one.id)))),
        next_cursor: rest.length > limit ? cursors.seal(...sealed, page.at(-1)!.name) : null,
      };
    },
    async get({ view, space, items, input: { target } }: Work) {
      const item = visibility.reach(view, items.kind.family, target.id);
      if (item === null || !isManaged(item)) throw absent('not within reach');
      if (isPlatform(item)) return platformPrompt(item.id);
      return applying(visibility, view, await items.get(space.id, item.id));
    },
  };

  function headOf(id: string) {
    const { messages: _, ...head } = platformPrompt(id);
    return head;
  }
}

type Shown = { family: string; origin?: string };

/** Of tools those people made; the others are the catalogue's. */
const isManaged = ({ family, origin }: Shown) => family !== 'tool' || origin === 'custom';
const isPlatform = ({ origin }: Shown) => origin === 'platform';

/**
 * Edits, whose answers show content only to a caller that may read the item by its surface read. An
 * item out of reach that the caller may write stays writable, unseen.
 */
function createWrites(visibility: ManagementDependencies['visibility']) {
  async function answer({ call, view, space, items }: Work, record: ItemRecord) {
    const { family, nameField } = items.kind;
    const { id, version } = record;
    const item = { family, space_id: space.id, id, name: record[nameField] as string };
    // The edit is committed: where readability cannot be decided, its content is not shown.
    const isReadable = await visibility
      .mayRead(call.caller.quota_owner.id, view, item)
      .catch(() => false);
    return isReadable ? applying(visibility, view, record) : { id, version };
  }

  async function edit(work: Work) {
    const { call, view, space, items, input } = work;
    const { target, body } = input;
    const next = (stored: Draft<object>) => items.kind.merge(stored, body);
    const wanted = { if_match: matchOf(target), next };
    try {
      const edited = items.edit(space, target.id, wanted, authorityOfCall(call));
      return await answer(work, await edited);
    } catch (error) {
      const isSeen = visibility.reach(view, items.kind.family, target.id) !== null;
      throw isSeen ? error : withoutContent(error);
    }
  }

  return {
    async create(work: Work) {
      const { call, space, items, input } = work;
      const draft = await items.kind.draftOf(input.body, space);
      return answer(work, await items.create(space, draft, authorityOfCall(call)));
    },
    // A whole draft changes everything: merged, it replaces.
    update: edit,
    patch: edit,
    async delete({ call, space, items, input: { target } }: Work) {
      await items.remove(space, target.id, matchOf(target), authorityOfCall(call));
      return { deleted: target.id };
    },
  };
}

/** Keeps the code alone: messages and pointers of an unsavable item quote what is stored. */
const withoutContent = (error: unknown): unknown =>
  isRefusal(error) && error.kind === 'unprocessable'
    ? unprocessable(error.code, 'The item cannot be saved with these changes.')
    : error;

/** Leaves out components that do not apply to the caller, as `agent_context` does. */
function applying(visibility: Pick<Visibility, 'components'>, view: View, record: ItemRecord) {
  const { components } = record as Partial<Pick<AgentItem, 'components'>>;
  if (components === undefined) return record;
  const names = visibility.components(view, { components });
  return { ...record, components: components.filter(({ name }) => names.includes(name)) };
}

const matchOf = ({ if_version }: Parsed['target']): string | null =>
  if_version === undefined ? null : etagOf(if_version);

const authorityOfCall = ({ caller, call_id, address }: Call) =>
  authorityOf(caller, { id: call_id, address: address() });

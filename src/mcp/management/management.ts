import { actorOf } from '../../caller/actor.ts';
import { personOf } from '../../caller/principal.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { etagOf, spaceOf } from '../../content/items/items.ts';
import type { Draft, Items } from '../../content/items/items.ts';
import type { Resources } from '../../content/resources/resources.ts';
import type { CustomTools } from '../../content/tools/tools.ts';
import { absent, unavailable } from '../../platform/refusal.ts';
import type { View, Visibility } from '../../visibility/visibility.ts';
import type { Call } from '../call.ts';
import type { Cursors } from '../cursor.ts';
import type { Parsed } from './arguments.ts';
import { managementEntries } from './entries.ts';
import type { PageArguments, Verb } from './entries.ts';
import { createGrep, grepEntry } from './grep.ts';
import type { GrepContext } from './grep.ts';

export interface ManagementDependencies {
  visibility: Pick<Visibility, 'list' | 'reach' | 'settle'>;
  items: Readonly<
    Record<'prompt' | 'agent', Items> & { resource: Resources; custom_tool: CustomTools }
  >;
  catalog: Pick<Catalog, 'promptById'>;
  cursors: Cursors;
}

/** Runs one management tool for the call it came in; arguments are what `parse` gave. */
export type Manage = (
  call: Call,
  task: { tool: string; input: unknown },
  context: GrepContext,
) => Promise<unknown>;

interface Work {
  call: Call;
  view: View;
  items: Items;
  input: Parsed;
}

/**
 * The management tools: what lists and reads show the caller, and the edits of REST under the
 * caller's own name. Whether they may is decided before, with every other tool's call.
 */
export function createManagement(dependencies: ManagementDependencies): Manage {
  const entries = new Map(managementEntries.map((entry) => [entry.tool.name, entry]));
  const reads = createReads(dependencies);
  const grep = createGrep({
    visibility: dependencies.visibility,
    readResource: (...wanted) => dependencies.items.resource.contentAt(...wanted),
  });
  const acts: Readonly<Record<Verb, (work: Work) => unknown>> = { ...reads, ...writes };

  return async function manage(call, { tool, input }, context) {
    const { view } = call;
    if (view === null) throw unavailable('what the caller reaches is not known');
    if (tool === grepEntry.name) return grep(call, view, (input as Parsed).body, context);
    const entry = entries.get(tool);
    if (entry === undefined) throw new TypeError(`${tool} is no management tool.`);
    const { verb, family } = entry;
    const items = dependencies.items[family.noun];
    return acts[verb]({ call, view, items, input: input as Parsed });
  };
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
      const stored = new Map(view.space.items.map((one) => [one.id, one]));
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
      return {
        data: page.map((one) => (isPlatform(one) ? headOf(one.id) : own(one.id))),
        next_cursor: rest.length > limit ? cursors.seal(...sealed, page.at(-1)!.name) : null,
      };
    },
    get({ call, view, items, input: { target } }: Work) {
      const item = visibility.reach(view, items.kind.family, target.id);
      if (item === null || !isManaged(item)) throw absent('not within reach');
      return isPlatform(item) ? platformPrompt(item.id) : items.get(personOf(call.caller), item.id);
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

const writes = {
  async create({ call, items, input: { body } }: Work) {
    const draft = await items.kind.draftOf(body, personOf(call.caller));
    return items.create(spaceOf(call.caller), draft, actorOfCall(call));
  },
  // A whole draft changes everything: merged, it replaces.
  update: edit,
  patch: edit,
  async delete({ call, items, input: { target } }: Work) {
    await items.remove(spaceOf(call.caller), target.id, matchOf(target), actorOfCall(call));
    return { deleted: target.id };
  },
};

function edit({ call, items, input: { target, body } }: Work) {
  const next = (stored: Draft<object>) => items.kind.merge(stored, body);
  return items.edit(
    spaceOf(call.caller),
    target.id,
    { if_match: matchOf(target), next },
    actorOfCall(call),
  );
}

const matchOf = ({ if_version }: Parsed['target']): string | null =>
  if_version === undefined ? null : etagOf(if_version);

const actorOfCall = ({ caller, call_id, address }: Call) =>
  actorOf(caller, { id: call_id, address: address() });

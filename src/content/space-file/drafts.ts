import { setImmediate } from 'node:timers/promises';
import type { Queryable } from '../../platform/postgres/database.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import { unknownItem } from '../agents/agents.ts';
import { conditionOf } from '../agents/conditions.ts';
import type { ConditionsDependencies } from '../agents/conditions.ts';
import type { AgentContent, NamedAgentDraft } from '../agents/schema.ts';
import type { Draft } from '../items/items.ts';
import { fieldIsFixed } from '../items/refusals.ts';
import type { Space } from '../spaces/space.ts';
import { kindIsFixed } from '../tools/drafts.ts';
import type { McpContent } from '../tools/schema.ts';
import type { ItemList, SpaceFileDependencies } from './dependencies.ts';
import { MAX_IMPORT_PROBLEMS } from './destinations.ts';
import type { Destination, Destinations } from './destinations.ts';
import type { SpaceFile, SpaceMcpTool, SpacePrompt, SpaceResource } from './schema.ts';
import type { Step } from './steps.ts';
import type { StoredName } from './store.ts';

export interface DraftedEntry {
  destination: Destination & { list: ItemList };
  draft: Draft<object>;
}

interface ImportedEntries {
  file: SpaceFile;
  destinations: Destinations;
  stored: readonly StoredName[];
  step: Step;
}

/** Turns the entries of a file into drafts and collects all problems for a 422 response. */
export function createDrafts(dependencies: SpaceFileDependencies) {
  const { items, upstreams, selection, plans, catalog } = dependencies;

  /** Checks an entry exactly like the draft of a REST request. */
  async function problemsOf(db: Queryable, space_id: string, { destination, draft }: DraftedEntry) {
    // `agentDraft` has resolved the conditions, whose items may be in this file.
    if (destination.list === 'agents') return [];
    const { problems } = items[destination.list].kind;
    return (await problems?.(db, { space_id, id: null, ...draft })) ?? [];
  }

  async function draftOf(
    file: SpaceFile,
    { list, index, stored }: DraftedEntry['destination'],
    { idOf }: Destinations,
    space: Space,
  ) {
    if (list === 'agents') return agentDraft(file.agents[index]!, { idOf, catalog });
    if (list === 'prompts' || list === 'resources') {
      const { held: _held, upstream, ...fields } = file[list][index]!;
      const isOfUpstream = upstream !== undefined;
      if (stored !== null && (stored.kind === 'upstream') !== isOfUpstream)
        return sourceIsFixed().problems;
      if (isOfUpstream)
        return contentDraft({ list, ...fields } as DescribedContent, upstream, idOf);
      return items[list].kind.draftOf(fields, space);
    }
    const entry = file[list][index]!;
    if (list === 'custom_tools' && 'kind' in entry) {
      if (stored !== null && stored.kind !== entry.kind) return kindIsFixed().problems;
      if (entry.kind === 'mcp') return mcpDraft(entry, idOf);
    }
    return items[list].kind.draftOf(entry, space);
  }

  return async function draftAll(
    db: Queryable,
    space: Space,
    { file, destinations, stored, step }: ImportedEntries,
  ): Promise<{ drafted: DraftedEntry[]; problems: Problem[] }> {
    const drafted: DraftedEntry[] = [];
    const problems = [
      ...destinations.problems,
      ...prefixPointers(
        '/mcp_settings',
        file.mcp_settings ? selection.problems(file.mcp_settings) : [],
      ),
      ...limitProblems(destinations, stored, plans[space.quota_owner.plan].items),
    ];
    for (const { list, ...destination } of destinations.all) {
      if (problems.length >= MAX_IMPORT_PROBLEMS) break;
      step();
      const pointerPrefix = `/${list}/${destination.index}`;
      if (list === 'upstreams') {
        problems.push(
          ...prefixPointers(pointerPrefix, upstreams.problems(file.upstreams[destination.index]!)),
        );
        continue;
      }
      const found = await draftOf(file, { list, ...destination }, destinations, space);
      if (Array.isArray(found)) {
        problems.push(...prefixPointers(pointerPrefix, found));
        continue;
      }
      const entry = { destination: { list, ...destination }, draft: found };
      drafted.push(entry);
      // Checking a schema takes milliseconds: let other requests run in between.
      await setImmediate();
      problems.push(...prefixPointers(pointerPrefix, await problemsOf(db, space.id, entry)));
    }
    return { drafted, problems: problems.slice(0, MAX_IMPORT_PROBLEMS) };
  };
}

/** Prefixes the pointers of an entry's problems with its place in the file. */
const prefixPointers = (pointerPrefix: string, problems: readonly Problem[]): Problem[] =>
  problems.map(({ detail, ...problem }) => {
    const { pointer = '', ...more } = (detail ?? {}) as { pointer?: string };
    return { ...problem, detail: { pointer: `${pointerPrefix}${pointer}`, ...more } };
  });

function limitProblems(
  destinations: Destinations,
  stored: readonly StoredName[],
  limit: number,
): Problem[] {
  const created = Map.groupBy(
    destinations.all.filter((destination) => destination.stored === null),
    ({ list }) => list,
  );
  return [...created].flatMap(([list, added]) => {
    const total = added.length + stored.filter((entry) => entry.list === list).length;
    const message = `Your plan allows ${limit} items of this kind. With this import there would be ${total}.`;
    const detail = { pointer: `/${list}` };
    return total > limit ? [{ code: 'limit_reached', message, detail }] : [];
  });
}

const listOf = {
  tool: 'custom_tools',
  prompt: 'prompts',
  resource: 'resources',
  agent: 'agents',
} as const;

/**
 * Resolves the names in the conditions to ids, which stored definitions contain. Returns a problem
 * for each name that cannot be resolved.
 */
function agentDraft(
  { name, components, ...rest }: NamedAgentDraft,
  { idOf, catalog }: Pick<Destinations, 'idOf'> & ConditionsDependencies,
): Draft<AgentContent> | Problem[] {
  const byId = components.map(({ when, ...component }) => ({
    ...component,
    when:
      when && conditionOf(when, (family, itemName) => idOf(listOf[family], itemName), { catalog }),
  }));
  const unknownItems = components.flatMap(({ when }, index) =>
    when !== null && byId[index]!.when === null ? [unknownItem(index)] : [],
  );
  return unknownItems.length > 0 ? unknownItems : { name, content: { ...rest, components: byId } };
}

/** Takes the approved description from the file; its pin detects a later change of the upstream. */
function mcpDraft(
  { name, held: _held, mcp: { upstream, ...pointerPrefix }, ...description }: SpaceMcpTool,
  idOf: Destinations['idOf'],
): Draft<McpContent> | Problem[] {
  const upstream_id = idOf('upstreams', upstream);
  if (upstream_id === undefined) return [unknownUpstream('/mcp/upstream')];
  return { name, content: { ...description, mcp: { upstream_id, ...pointerPrefix } } };
}

/** Does so for a prompt or resource. */
function contentDraft(
  described: DescribedContent,
  { upstream, ...at }: { upstream: string; pin: string },
  idOf: Destinations['idOf'],
): Draft<object> | Problem[] {
  const upstream_id = idOf('upstreams', upstream);
  if (upstream_id === undefined) return [unknownUpstream('/upstream/upstream')];
  const source = { upstream: { upstream_id, ...at } };
  if (described.list === 'prompts') {
    const { list: _list, name, messages: _none, ...description } = described;
    return { name, content: { ...description, messages: [], ...source } };
  }
  const { list: _list, path: name, ...description } = described;
  return { name, content: { ...description, ...source } };
}

type DescribedContent =
  | ({ list: 'prompts' } & Omit<SpacePrompt, 'held' | 'upstream'>)
  | ({ list: 'resources' } & Omit<SpaceResource, 'held' | 'upstream'>);

const unknownUpstream = (pointer: string): Problem => ({
  code: 'unknown_item',
  message: 'The upstream does not exist.',
  detail: { pointer },
});

const sourceIsFixed = () =>
  fieldIsFixed('/upstream', 'Whether an item comes from an upstream cannot be changed.');

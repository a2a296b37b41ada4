import { setImmediate } from 'node:timers/promises';
import type { Connection } from '../../platform/postgres/database.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import { unknownItem } from '../agents/agents.ts';
import { conditionOf } from '../agents/conditions.ts';
import type { ConditionsDependencies } from '../agents/conditions.ts';
import type { AgentContent, NamedAgentDraft } from '../agents/schema.ts';
import type { Draft } from '../items/items.ts';
import type { Space } from '../spaces/space.ts';
import { otherKind } from '../tools/drafts.ts';
import type { McpContent } from '../tools/schema.ts';
import type { ItemList, SpaceFileDependencies } from './dependencies.ts';
import { MOST_PROBLEMS } from './places.ts';
import type { Place, Places } from './places.ts';
import type { SpaceFile, SpaceMcpTool } from './schema.ts';
import type { StoredName } from './store.ts';

export interface Drafted {
  place: Place & { list: ItemList };
  draft: Draft<object>;
}

/** What the entries of a file become, with every 422 there is against it, each with its place. */
export function createDrafts(dependencies: SpaceFileDependencies) {
  const { items, upstreams, selection, plans, catalog } = dependencies;

  /** Of what REST would refuse nothing passes: an entry is checked as the draft of a request is. */
  async function problemsOf(connection: Connection, space_id: string, { place, draft }: Drafted) {
    // The conditions of an agent were found by their names, in this very file too.
    if (place.list === 'agents') return [];
    const { problems } = items[place.list].kind;
    return (await problems?.(connection, { space_id, id: null, ...draft })) ?? [];
  }

  async function draftOf(
    file: SpaceFile,
    { list, index, stored }: Drafted['place'],
    { idOf }: Places,
    space: Space,
  ) {
    if (list === 'agents') return agentDraft(file.agents[index]!, { idOf, catalog });
    const entry = file[list][index]!;
    if (list === 'custom_tools' && 'kind' in entry) {
      if (stored !== null && stored.kind !== entry.kind) return otherKind().problems;
      if (entry.kind === 'mcp') return mcpDraft(entry, idOf);
    }
    return items[list].kind.draftOf(entry, space);
  }

  return async function draftAll(
    connection: Connection,
    space: Space,
    { file, places, stored }: { file: SpaceFile; places: Places; stored: readonly StoredName[] },
  ): Promise<{ drafted: Drafted[]; problems: Problem[] }> {
    const drafted: Drafted[] = [];
    const problems = [
      ...places.problems,
      ...within('/mcp_settings', file.mcp_settings ? selection.problems(file.mcp_settings) : []),
      ...limitProblems(places, stored, plans[space.quota_owner.plan].items),
    ];
    for (const { list, ...place } of places.all) {
      if (problems.length >= MOST_PROBLEMS) break;
      const at = `/${list}/${place.index}`;
      if (list === 'upstreams') {
        problems.push(...within(at, upstreams.problems(file.upstreams[place.index]!)));
        continue;
      }
      const found = await draftOf(file, { list, ...place }, places, space);
      if (Array.isArray(found)) {
        problems.push(...within(at, found));
        continue;
      }
      const one = { place: { list, ...place }, draft: found };
      drafted.push(one);
      // Schemas cost milliseconds each: other requests come in between.
      await setImmediate();
      problems.push(...within(at, await problemsOf(connection, space.id, one)));
    }
    return { drafted, problems: problems.slice(0, MOST_PROBLEMS) };
  };
}

/** Problems of an entry as problems of the file. */
const within = (at: string, problems: readonly Problem[]): Problem[] =>
  problems.map(({ detail, ...problem }) => {
    const { pointer = '', ...more } = (detail ?? {}) as { pointer?: string };
    return { ...problem, detail: { pointer: `${at}${pointer}`, ...more } };
  });

function limitProblems(places: Places, stored: readonly StoredName[], most: number): Problem[] {
  const made = Map.groupBy(
    places.all.filter((place) => place.stored === null),
    ({ list }) => list,
  );
  return [...made].flatMap(([list, added]) => {
    const total = added.length + stored.filter((one) => one.list === list).length;
    const message = `The plan allows ${most} of them, and these would make ${total}.`;
    const detail = { pointer: `/${list}` };
    return total > most ? [{ code: 'limit_reached', message, detail }] : [];
  });
}

const listOf = {
  tool: 'custom_tools',
  prompt: 'prompts',
  resource: 'resources',
  agent: 'agents',
} as const;

/** By ids, as definitions are stored; or the conditions that name nothing. */
function agentDraft(
  { name, components, ...rest }: NamedAgentDraft,
  { idOf, catalog }: Pick<Places, 'idOf'> & ConditionsDependencies,
): Draft<AgentContent> | Problem[] {
  const byId = components.map(({ when, ...component }) => ({
    ...component,
    when: when && conditionOf(when, (family, named) => idOf(listOf[family], named), { catalog }),
  }));
  const unknown = components.flatMap(({ when }, index) =>
    when !== null && byId[index]!.when === null ? [unknownItem(index)] : [],
  );
  return unknown.length > 0 ? unknown : { name, content: { ...rest, components: byId } };
}

/** In the words of the file, which are those somebody looked at; their pin holds it to them. */
function mcpDraft(
  { name, held: _held, mcp: { upstream, ...at }, ...told }: SpaceMcpTool,
  idOf: Places['idOf'],
): Draft<McpContent> | Problem[] {
  const upstream_id = idOf('upstreams', upstream);
  if (upstream_id === undefined)
    return [
      {
        code: 'unknown_item',
        message: 'There is no such upstream.',
        detail: { pointer: '/mcp/upstream' },
      },
    ];
  return { name, content: { ...told, mcp: { upstream_id, ...at } } };
}

import type { Kind, Names } from '../names.ts';
import type { Agent, Content, Policy } from '../schema.ts';
import type { Path } from '../source.ts';
import type { Body, RouteName, Step } from './step.ts';

/** A space: a person's own, the catalog of an organization, or a team's. */
export interface Space {
  /** Its name among those of `Names`. */
  within: string;
  /** Path prefix of its routes. */
  path: `/api${string}`;
  by: string;
  params: Step['params'];
}

/** Returns the steps that create a space's items; conditions of agents may name those before them. */
export const contentSteps = (content: Content, at: Path, space: Space): Step[] => [
  ...itemSteps(content.custom_tools, [...at, 'custom_tools'], space, 'custom_tool', 'custom-tools'),
  ...content.resources.map((resource, index): Step => ({
    ...stepIn(space, [...at, 'resources', index], 'resources'),
    name: { kind: 'resource', within: space.within, name: resource.path },
    body: () => resource,
    named_by: 'path',
  })),
  ...itemSteps(content.prompts, [...at, 'prompts'], space, 'prompt', 'prompts'),
  ...content.agents.map((agent, index): Step => ({
    ...stepIn(space, [...at, 'agents', index], 'agents'),
    name: { kind: 'agent', within: space.within, name: agent.name },
    body: (names) => agentBody(agent, [...at, 'agents', index], space.within, names),
  })),
];

const itemSteps = (
  items: readonly (Body & { name: string })[],
  at: Path,
  space: Space,
  kind: Kind,
  path: string,
): Step[] =>
  items.map((item, index) => ({
    ...stepIn(space, [...at, index], path),
    name: { kind, within: space.within, name: item.name },
    body: () => item,
  }));

const stepIn = (space: Space, at: Path, path: string) => ({
  at,
  by: space.by,
  route: `POST ${space.path}/${path}` as RouteName,
  params: space.params,
});

function agentBody(agent: Agent, at: Path, within: string, names: Names): Body {
  const { components, ...rest } = agent;
  if (components === undefined) return rest;
  return {
    ...rest,
    components: components.map((component, index) => {
      const { when } = component;
      if (when === null || when === undefined) return component;
      const place = [...at, 'components', index, 'when'];
      return { ...component, when: conditionOf(when, place, within, names) };
    }),
  };
}

type Condition = NonNullable<NonNullable<Agent['components']>[number]['when']>;

function conditionOf(when: Condition, at: Path, within: string, names: Names): Body {
  const { tool, prompt, agent, ...rest } = when;
  /** Returns the id of the space's own item of that name, or else of the built-in one. */
  const idOf = (name: string, field: string, own: Kind, builtIn: Kind) => {
    const item = { kind: own, within, name };
    return names.id(names.has(item) ? item : { kind: builtIn, within: '', name }, [...at, field]);
  };
  return {
    ...rest,
    ...(tool !== undefined && { tool: idOf(tool, 'tool', 'custom_tool', 'tool') }),
    ...(prompt !== undefined && { prompt: idOf(prompt, 'prompt', 'prompt', 'platform_prompt') }),
    ...(agent !== undefined && {
      agent: names.id({ kind: 'agent', within, name: agent }, [...at, 'agent']),
    }),
  };
}

/** The kinds of the items that the lists of policies name; built-in items are in no space. */
const LISTS = {
  tools: 'tool',
  custom_tools: 'custom_tool',
  prompts: 'prompt',
  platform_prompts: 'platform_prompt',
  agents: 'agent',
} as const;
const BUILT_IN: ReadonlySet<Kind> = new Set(['tool', 'platform_prompt']);

/** Returns an item policy with ids; `within` is the space whose items it may name. */
export const policyBody = (policy: Policy, at: Path, within: string, names: Names): Body => ({
  ...policy,
  ...Object.fromEntries(
    Object.entries(LISTS).flatMap(([list, kind]) => {
      const named = policy[list as keyof typeof LISTS];
      if (named === undefined) return [];
      const place = BUILT_IN.has(kind) ? '' : within;
      return [[list, idsOf(named, [...at, list], { kind, within: place }, names)]];
    }),
  ),
});

/** Returns the ids of what a list names. */
export const idsOf = (
  listed: readonly string[],
  at: Path,
  { kind, within }: { kind: Kind; within: string },
  names: Names,
): string[] => listed.map((name, index) => names.id({ kind, within, name }, [...at, index]));

const SELECTIONS = {
  tools: 'tool',
  platform_prompts: 'platform_prompt',
  organization_wide_tools: 'tool',
  organization_wide_prompts: 'platform_prompt',
} as const;
type Selection = { readonly [List in keyof typeof SELECTIONS]?: readonly string[] | undefined };

/** Returns the step that replaces the selection of built-in items, if the file has any of `lists`. */
export function selectionSteps(
  selection: Selection,
  lists: readonly (keyof Selection)[],
  at: Path,
  space: Space,
): Step[] {
  if (lists.every((list) => selection[list] === undefined)) return [];
  const body = (names: Names) =>
    Object.fromEntries(
      lists.map((list) => {
        const kind = SELECTIONS[list];
        return [list, idsOf(selection[list] ?? [], [...at, list], { kind, within: '' }, names)];
      }),
    );
  const route: RouteName = `PUT ${space.path}/mcp-settings`;
  return [{ at, name: null, by: space.by, route, params: space.params, body }];
}

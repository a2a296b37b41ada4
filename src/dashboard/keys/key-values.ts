import type { z } from 'zod';
import { capabilities, personalPermissions } from '../../authz/permissions.ts';
import type { Capability } from '../../authz/permissions.ts';
import type { KeyDraft, KeyEdit } from '../../keys/schema.ts';
import type { PolicyMode } from '../../policies/policy.ts';
import type { Preset } from './key-search.ts';
import type { Key } from './keys.ts';

type WireGrants = NonNullable<KeyEdit['grants']>;

/** What the form of a key holds. A policy keeps its picks while its mode is `all`. */
export type KeyValues = {
  name: string;
  mcp_capabilities: Capability[];
  /** Permissions in the person's own account. */
  permissions: string[];
  tool_policy: { mode: PolicyMode; tools: string[]; custom_tools: string[] };
  prompt_policy: { mode: PolicyMode; prompts: string[]; platform_prompts: string[] };
  resource_policy: { mode: PolicyMode; patterns: string[] };
  agent_policy: { mode: PolicyMode; agents: string[] };
  default_agent_id: string | null;
  expires_at: string | null;
};
export type PolicyField = 'tool_policy' | 'prompt_policy' | 'resource_policy' | 'agent_policy';

/** Stands for an assigned agent that the key can no longer reach, and whose id is not revealed. */
export const UNAVAILABLE = 'unavailable';

export const emptyValues = (name: string): KeyValues => ({
  name,
  mcp_capabilities: [...capabilities],
  permissions: [],
  tool_policy: { mode: 'all', tools: [], custom_tools: [] },
  prompt_policy: { mode: 'all', prompts: [], platform_prompts: [] },
  resource_policy: { mode: 'all', patterns: [] },
  agent_policy: { mode: 'all', agents: [] },
  default_agent_id: null,
  expires_at: null,
});

/** Returns the form's values of a saved key. */
export function valuesOf(key: Key): KeyValues {
  const empty = emptyValues(key.name);
  return {
    ...empty,
    mcp_capabilities: key.mcp_capabilities,
    permissions: key.grants.find(isPersonal)?.permissions ?? [],
    default_agent_id: agentOf(key),
    expires_at: key.expires_at,
    ...(key.org_scope === null
      ? {
          tool_policy: merged(empty.tool_policy, key.tool_policy),
          prompt_policy: merged(empty.prompt_policy, key.prompt_policy),
          resource_policy: merged(empty.resource_policy, key.resource_policy),
          agent_policy: merged(empty.agent_policy, key.agent_policy),
        }
      : {}),
  };
}

const isPersonal = ({ scope }: WireGrants[number]) => scope.type === 'personal';

function agentOf({ default_agent: agent }: Key): string | null {
  if (agent === null) return null;
  return 'id' in agent ? agent.id : UNAVAILABLE;
}

/** Fills the lists that a stored policy leaves out. */
const merged = <Policy extends object>(
  empty: Policy,
  stored: { [Field in keyof Policy]?: Policy[Field] | undefined },
): Policy => ({ ...empty, ...JSON.parse(JSON.stringify(stored)) }) as Policy;

/** What the form does not change: grants in organizations, and where the key runs. */
export interface KeyContext {
  others: WireGrants;
  organization: { org_scope: string; team_ids: string[] | null } | null;
}
export const ownContext: KeyContext = { others: [], organization: null };

export const contextOf = (key: Key): KeyContext => ({
  others: key.grants.filter((grant) => !isPersonal(grant)),
  organization:
    key.org_scope === null
      ? null
      : {
          org_scope: key.org_scope,
          team_ids: key.follows_memberships ? null : key.teams.map(({ id }) => id),
        },
});

/** In an organization, the policies of its teams apply, and the key has none of its own. */
const applicable = (values: KeyValues, { organization }: KeyContext): KeyValues => {
  const { tool_policy, prompt_policy, resource_policy, agent_policy } = emptyValues(values.name);
  return organization === null
    ? values
    : { ...values, tool_policy, prompt_policy, resource_policy, agent_policy };
};

/** Returns what is sent for these values. */
export const draftOf = (entered: KeyValues, context: KeyContext) => {
  const values = applicable(entered, context);
  return {
    ...context.organization,
    name: values.name,
    mcp_capabilities: capabilities.filter((one) => values.mcp_capabilities.includes(one)),
    grants: grantsOf(values.permissions, context.others),
    tool_policy: toolPolicy(values.tool_policy),
    prompt_policy: promptPolicy(values.prompt_policy),
    resource_policy: listedPolicy(values.resource_policy),
    agent_policy: listedPolicy(values.agent_policy),
    default_agent_id: values.default_agent_id,
    expires_at: values.expires_at,
  } satisfies z.input<typeof KeyDraft>;
};

/** In the order of the table, so that the same choice is always the same list. */
function grantsOf(names: readonly string[], others: WireGrants): WireGrants {
  const known = personalPermissions.flatMap(({ grant }) => grant ?? []);
  const permissions = [
    ...known.filter((name) => names.includes(name)),
    ...names.filter((name) => !known.includes(name)),
  ];
  if (permissions.length === 0) return [...others];
  return [{ scope: { type: 'personal' }, permissions }, ...others];
}

const toolPolicy = ({ mode, tools, custom_tools }: KeyValues['tool_policy']) =>
  mode === 'all'
    ? { mode }
    : { mode, tools, ...(custom_tools.length === 0 ? {} : { custom_tools }) };

const promptPolicy = ({ mode, prompts, platform_prompts }: KeyValues['prompt_policy']) =>
  mode === 'all'
    ? { mode }
    : { mode, prompts, ...(platform_prompts.length === 0 ? {} : { platform_prompts }) };

/** The mode `all` has no list. */
const listedPolicy = <Policy extends { mode: PolicyMode }>(policy: Policy) =>
  policy.mode === 'all' ? { mode: policy.mode } : policy;

/** Returns only what differs from the saved key, which is all that a PATCH sends. */
export function editOf(key: Key, values: KeyValues): KeyEdit {
  const context = contextOf(key);
  const [before, after] = [draftOf(valuesOf(key), context), draftOf(values, context)];
  const changed = Object.entries(after).filter(
    ([field, value]) =>
      JSON.stringify(value) !== JSON.stringify(before[field as keyof typeof before]),
  );
  return Object.fromEntries(changed);
}

/**
 * Returns the policies that the service would refuse because they name nothing: a policy of tools
 * needs a built-in one next to own ones.
 */
export const incompletePolicies = (entered: KeyValues, context: KeyContext): PolicyField[] => {
  const values = applicable(entered, context);
  const { tool_policy, prompt_policy, resource_policy, agent_policy } = values;
  const isEmpty: Record<PolicyField, boolean> = {
    tool_policy: tool_policy.tools.length === 0,
    prompt_policy: prompt_policy.prompts.length + prompt_policy.platform_prompts.length === 0,
    resource_policy: resource_policy.patterns.length === 0,
    agent_policy: agent_policy.agents.length === 0,
  };
  return (Object.keys(isEmpty) as PolicyField[]).filter(
    (field) => values[field].mode !== 'all' && isEmpty[field],
  );
};

const CONTENT = ['resources', 'tools', 'prompts', 'agents'];

export function presetPermissions(preset: Preset): string[] {
  return personalPermissions.flatMap(({ grant, family, verb }) => {
    const isIn =
      preset === 'all' ||
      (preset === 'read_only' && verb === 'read') ||
      (preset === 'editor' && CONTENT.includes(family));
    return isIn && grant !== null ? [grant] : [];
  });
}

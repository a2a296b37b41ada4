import type { z } from 'zod';
import { capabilities, permissions } from '../../authz/permissions.ts';
import type { Capability } from '../../authz/permissions.ts';
import type { ToolListing } from '../../caller/schema.ts';
import type { KeyEdit, OrganizationKeyRecord, OwnKeyRecord } from '../../keys/schema.ts';
import type { PolicyMode } from '../../policies/policy.ts';
import { restrictionsOf, restrictionValuesOf } from '../parts/restrictions.ts';
import type { RestrictionValues } from '../parts/restrictions.ts';
import type { Preset } from './key-search.ts';

export type OwnKey = z.infer<typeof OwnKeyRecord>;
/** A key of a person or of an organization. */
export type Key = OwnKey | z.infer<typeof OrganizationKeyRecord>;

type WireGrants = NonNullable<KeyEdit['grants']>;

/** The context of permissions in the person's own account; others are ids of organizations. */
export const PERSONAL = 'personal';

/** What the form of a key holds. A policy keeps its picks while its mode is `all`. */
export type KeyValues = {
  name: string;
  mcp_capabilities: Capability[];
  /** Permissions by their context. */
  grants: Record<string, string[]>;
  /** The organization that the key runs in, whose teams have the policies; null: the account. */
  org_scope: string | null;
  /** In an organization: the teams of the key; null for all, later ones too. */
  team_ids: string[] | null;
  tool_policy: { mode: PolicyMode; tools: string[]; custom_tools: string[] };
  prompt_policy: { mode: PolicyMode; prompts: string[]; platform_prompts: string[] };
  resource_policy: { mode: PolicyMode; patterns: string[] };
  agent_policy: { mode: PolicyMode; agents: string[] };
  default_agent_id: string | null;
  tool_listing: ToolListing;
  expires_at: string | null;
} & RestrictionValues;
export type PolicyField = 'tool_policy' | 'prompt_policy' | 'resource_policy' | 'agent_policy';

/** Stands for an assigned agent that the key can no longer reach, and whose id is not revealed. */
export const UNAVAILABLE = 'unavailable';

export const emptyValues = (name: string): KeyValues => ({
  name,
  mcp_capabilities: [...capabilities],
  grants: {},
  org_scope: null,
  team_ids: null,
  tool_policy: { mode: 'all', tools: [], custom_tools: [] },
  prompt_policy: { mode: 'all', prompts: [], platform_prompts: [] },
  resource_policy: { mode: 'all', patterns: [] },
  agent_policy: { mode: 'all', agents: [] },
  default_agent_id: null,
  tool_listing: 'all',
  expires_at: null,
  allowed_addresses: [],
  hours: null,
});

/** Returns the form's values of a saved key. */
export function valuesOf(key: Key): KeyValues {
  const empty = emptyValues(key.name);
  return {
    ...empty,
    mcp_capabilities: key.mcp_capabilities,
    grants: Object.fromEntries(
      key.grants.map(({ scope, permissions: names }) => [
        scope.type === 'org' ? scope.org_id : PERSONAL,
        names,
      ]),
    ),
    default_agent_id: agentOf(key),
    tool_listing: key.tool_listing,
    expires_at: key.expires_at,
    ...restrictionValuesOf(key),
    ...('teams' in key
      ? { org_scope: organizationOf(key), team_ids: followsTeams(key) ? null : idsOf(key.teams) }
      : {
          tool_policy: merged(empty.tool_policy, key.tool_policy),
          prompt_policy: merged(empty.prompt_policy, key.prompt_policy),
          resource_policy: merged(empty.resource_policy, key.resource_policy),
          agent_policy: merged(empty.agent_policy, key.agent_policy),
        }),
  };
}

const idsOf = (list: readonly { id: string }[]) => list.map(({ id }) => id);

/** Returns the organization that a key runs in; null for its person's account. */
const organizationOf = (key: Key): string | null =>
  'organization_id' in key ? key.organization_id : key.org_scope;

/** Returns whether a key in an organization is active in all teams, later ones too. */
export const followsTeams = (key: Extract<Key, { teams: unknown }>): boolean =>
  'follows_teams' in key ? key.follows_teams : key.follows_memberships;

function agentOf({ default_agent: agent }: Key): string | null {
  if (agent === null) return null;
  return 'id' in agent ? agent.id : UNAVAILABLE;
}

/** Fills the lists that a stored policy leaves out. */
const merged = <Policy extends object>(
  empty: Policy,
  stored: { [Field in keyof Policy]?: Policy[Field] | undefined },
): Policy => ({ ...empty, ...JSON.parse(JSON.stringify(stored)) }) as Policy;

/** Returns the fields that all keys have, as they are sent. */
const commonOf = (values: KeyValues) => ({
  name: values.name,
  mcp_capabilities: capabilities.filter((one) => values.mcp_capabilities.includes(one)),
  grants: grantsOf(values.grants),
  default_agent_id: values.default_agent_id,
  tool_listing: values.tool_listing,
  expires_at: values.expires_at,
  ...restrictionsOf(values),
});

/** Returns what is sent for a person's key; in an organization, it has no policies of its own. */
export const draftOf = (values: KeyValues) => ({
  ...commonOf(values),
  ...(values.org_scope === null
    ? {
        tool_policy: toolPolicy(values.tool_policy),
        prompt_policy: promptPolicy(values.prompt_policy),
        resource_policy: listedPolicy(values.resource_policy),
        agent_policy: listedPolicy(values.agent_policy),
      }
    : { org_scope: values.org_scope, team_ids: values.team_ids }),
});

/** Returns what is sent for an organization's own key. */
export const organizationDraftOf = (values: KeyValues) => ({
  ...commonOf(values),
  team_ids: values.team_ids,
});

/** In the order of the contexts and tables, so that the same choice is always the same list. */
function grantsOf(grants: KeyValues['grants']): WireGrants {
  return contextsOf(grants).map((context) => {
    const names = grants[context] ?? [];
    const known = tableOf(context).flatMap(({ grant }) => grant ?? []);
    return {
      scope: context === PERSONAL ? { type: 'personal' } : { type: 'org', org_id: context },
      permissions: [
        ...known.filter((name) => names.includes(name)),
        ...names.filter((name) => !known.includes(name)),
      ],
    };
  });
}

const contextsOf = (grants: KeyValues['grants']) =>
  Object.keys(grants).toSorted((a, b) => rankOf(a).localeCompare(rankOf(b)));
const rankOf = (context: string) => (context === PERSONAL ? '' : context);

/** An organization's grants may also name permissions in its teams. */
const tableOf = (context: string) =>
  context === PERSONAL ? permissions.personal : [...permissions.organization, ...permissions.team];

/** Returns the grants with this choice in one context; one without a permission is left out. */
export function withGrant(
  grants: KeyValues['grants'],
  context: string,
  names: string[],
): KeyValues['grants'] {
  const { [context]: _, ...others } = grants;
  return names.length === 0 ? others : { ...others, [context]: names };
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
  const before: Record<string, unknown> = draftOf(valuesOf(key));
  const changed = Object.entries(draftOf(values)).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(before[field]),
  );
  return Object.fromEntries(changed);
}

/**
 * Returns the policies that the service would refuse because they name nothing: a policy of tools
 * needs a built-in one next to own ones.
 */
export const incompletePolicies = (values: KeyValues): PolicyField[] => {
  if (values.org_scope !== null) return [];
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

/** Returns the field of the form that an error's pointer names; grants are fields by their context. */
export function keyFieldOf([field, index]: readonly string[], values: KeyValues): string | null {
  if (field === undefined || !Object.hasOwn(values, field)) return null;
  if (field !== 'grants') return field;
  const context = contextsOf(values.grants)[Number(index)];
  return context === undefined ? null : grantField(context);
}

export const grantField = (context: string) => `grants.${context}`;

/** Permissions that only people and their connections can use: no route accepts a key for them. */
export const UNUSABLE: ReadonlySet<string> = new Set([
  'can_update_organization_sso',
  'can_create_organization_oauth_clients',
  'can_create_organization_api_keys',
  'can_update_organization_api_keys',
  'can_revoke_organization_api_keys',
]);

const CONTENT = ['resources', 'tools', 'prompts', 'agents'];

/** Returns the permissions of a preset in a context, as far as the person holds them there. */
export function presetPermissions(
  preset: Preset,
  context = PERSONAL,
  held: ReadonlySet<string> | null = null,
): string[] {
  return tableOf(context).flatMap(({ grant, family, verb }) => {
    const isIn =
      preset === 'all' ||
      (preset === 'read_only' && verb === 'read') ||
      (preset === 'editor' && CONTENT.includes(family));
    const isUsable = grant !== null && !UNUSABLE.has(grant);
    return isIn && isUsable && held?.has(grant) !== false ? [grant] : [];
  });
}

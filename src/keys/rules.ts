import {
  isOwnerSessionGrant,
  organizationPermissionByGrant,
  personalPermissionByGrant,
  teamPermissionByGrant,
} from '../authz/permissions.ts';
import type { ErrorCode } from '../platform/errors/error-codes.ts';
import type { Problem } from '../platform/errors/refusal.ts';
import {
  agentPolicyFaults,
  promptPolicyFaults,
  resourcePolicyFaults,
  toolPolicyFaults,
} from '../policies/item-policies.ts';
import type { PromptList, ToolList } from '../policies/item-policies.ts';
import type { PolicyFault } from '../policies/policy.ts';
import type { Grant, KeyEdit, Policies } from './schema.ts';
import type { KeyRow } from './store.ts';

/** Items that a policy of this account may list. */
export interface KnownItems {
  isTool(list: ToolList, id: string): boolean;
  isPrompt(list: PromptList, id: string): boolean;
  isAgent(id: string): boolean;
}

/** Maximum number of problems in one error: a response must not outgrow its request. */
export const MAX_PROBLEMS = 20;

/**
 * Returns problems of grants: a second grant for one context (G4), or a permission that it cannot
 * contain.
 */
export function grantProblems(grants: readonly Grant[]): Problem[] {
  const problems = contextProblems(grants);
  for (const [index, grant] of grants.entries())
    for (const [place, name] of grant.permissions.entries()) {
      if (problems.length >= MAX_PROBLEMS) return problems.slice(0, MAX_PROBLEMS);
      problems.push(...permissionProblems(grant, name, `/grants/${index}/permissions/${place}`));
    }
  return problems.slice(0, MAX_PROBLEMS);
}

function contextProblems(grants: readonly Grant[]): Problem[] {
  const contexts = new Set<string>();
  return grants.flatMap(({ scope }, index) => {
    const at = `/grants/${index}`;
    const context = scope.type === 'org' ? scope.org_id : scope.type;
    const isRepeated = contexts.size === contexts.add(context).size;
    return [
      ...(isRepeated
        ? [problem('duplicate_grant', 'There must be only one grant per context.', at)]
        : []),
      ...(scope.type === 'org' ? [notMember(`${at}/scope/org_id`)] : []),
    ];
  });
}

/** No account is a member of an organization yet; unknown ones get the same error (K6, K9, G5). */
export const notMember = (pointer: string): Problem =>
  problem('not_a_member', 'You are not a member of the organization.', pointer);

/** One error for agents that do not exist, belong to others or are out of the key's reach (K2). */
export const agentUnavailable = (): Problem =>
  problem('agent_unavailable', 'The agent is not available to this key.', '/default_agent_id');

export const pastExpiry = (): Problem =>
  problem('expires_at_past', 'The expiry must be in the future.', '/expires_at');

/** Returns the problems of the sent policies, except those equal to the stored ones. */
export function policyProblems(
  sent: Pick<KeyEdit, keyof Policies>,
  stored: Policies | null,
  known: KnownItems,
): Problem[] {
  const faults = <Name extends keyof Policies>(
    name: Name,
    find: (policy: Policies[Name]) => PolicyFault[],
  ): Problem[] => {
    const policy = sent[name];
    if (policy === undefined || isSame(policy, stored?.[name])) return [];
    return find(policy).map((one) => problem(one.code, one.message, `/${name}${one.pointer}`));
  };
  return [
    ...faults('tool_policy', (policy) => toolPolicyFaults(policy, known.isTool)),
    ...faults('resource_policy', resourcePolicyFaults),
    ...faults('prompt_policy', (policy) => promptPolicyFaults(policy, known.isPrompt)),
    ...faults('agent_policy', (policy) => agentPolicyFaults(policy, known.isAgent)),
  ];
}

const FIELDS = [
  'name',
  'grants',
  'mcp_capabilities',
  'tool_policy',
  'resource_policy',
  'prompt_policy',
  'agent_policy',
  'default_agent_id',
] as const satisfies readonly (keyof KeyEdit & keyof KeyRow)[];

/** Returns whether an edit changes nothing. */
export const isUnchanged = (edit: KeyEdit, stored: KeyRow): boolean =>
  FIELDS.every((field) => edit[field] === undefined || isSame(edit[field], stored[field])) &&
  (edit.expires_at === undefined || isSameTimestamp(edit.expires_at, stored.expires_at));

/** Compares two expiries; null means no expiry. */
export const isSameTimestamp = (one: string | null, other: string | null): boolean =>
  one === null || other === null ? one === other : Date.parse(one) === Date.parse(other);

// Both were parsed by one schema, so their fields are in the same order.
const isSame = (sent: unknown, stored: unknown) => JSON.stringify(sent) === JSON.stringify(stored);

function permissionProblems(grant: Grant, name: string, at: string): Problem[] {
  if (isOwnerSessionGrant(name))
    return [problem('permission_not_grantable', 'Keys cannot be granted this permission.', at)];
  const isKnown =
    grant.scope.type === 'personal'
      ? personalPermissionByGrant(name) !== null
      : (organizationPermissionByGrant(name) ?? teamPermissionByGrant(name)) !== null;
  return isKnown
    ? []
    : [problem('unknown_permission', 'This permission does not exist in this context.', at)];
}

const problem = (code: ErrorCode, message: string, pointer: string): Problem => ({
  code,
  message,
  detail: { pointer },
});

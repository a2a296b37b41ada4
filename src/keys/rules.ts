import {
  isOwnerSessionGrant,
  organizationPermissionByGrant,
  personalPermissionByGrant,
  teamPermissionByGrant,
} from '../authz/permissions.ts';
import type { Problem } from '../platform/refusal.ts';
import { agentPolicyFaults } from '../policies/agent-policy.ts';
import type { PolicyFault } from '../policies/policy.ts';
import { promptPolicyFaults } from '../policies/prompt-policy.ts';
import { resourcePolicyFaults } from '../policies/resource-policy.ts';
import { toolPolicyFaults } from '../policies/tool-policy.ts';
import type { ToolList } from '../policies/tool-policy.ts';
import type { Grant, KeyEdit, Policies } from './schema.ts';

/** Which items a policy of this account may name. */
export interface KnownItems {
  isTool(list: ToolList, id: string): boolean;
}

/** At most one grant for each context (G4), and no name the context cannot give. */
export function grantProblems(grants: readonly Grant[]): Problem[] {
  const contexts = new Set<string>();
  return grants.flatMap((grant, index) => {
    const at = `/grants/${index}`;
    const context = grant.scope.org_id ?? 'personal';
    const isRepeated = contexts.size === contexts.add(context).size;
    return [
      ...(isRepeated ? [problem('duplicate_grant', 'One grant for each context.', at)] : []),
      ...(grant.scope.type === 'org' ? [notMember(`${at}/scope/org_id`)] : []),
      ...grant.permissions.flatMap((name, place) =>
        permissionProblems(grant, name, `${at}/permissions/${place}`),
      ),
    ];
  });
}

/** No account is in an organization: foreign and unknown ones answer alike (K6, K9, G5). */
export const notMember = (pointer: string): Problem =>
  problem('not_a_member', 'You are not a member of the organization.', pointer);

/** No agent definition is available to any key (K2). */
export const agentUnavailable = (): Problem =>
  problem('agent_unavailable', 'The agent is not available to this key.', '/default_agent_id');

export const pastExpiry = (): Problem =>
  problem('expires_at_past', 'The key would have expired already.', '/expires_at');

/** The rules of the policies that are sent, except of one that is stored just so already. */
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
    ...faults('prompt_policy', (policy) => promptPolicyFaults(policy, isNone)),
    ...faults('agent_policy', (policy) => agentPolicyFaults(policy, isNone)),
  ];
}

// There are no prompts and agents yet that a policy could name.
const isNone = () => false;

// Both went through one schema, so their fields stand in one order.
const isSame = (policy: object, stored: object | undefined) =>
  JSON.stringify(policy) === JSON.stringify(stored);

function permissionProblems(grant: Grant, name: string, at: string): Problem[] {
  if (isOwnerSessionGrant(name))
    return [problem('permission_not_grantable', 'No key can carry this permission.', at)];
  const isKnown =
    grant.scope.type === 'personal'
      ? personalPermissionByGrant(name) !== null
      : (organizationPermissionByGrant(name) ?? teamPermissionByGrant(name)) !== null;
  return isKnown ? [] : [problem('unknown_permission', 'There is no such permission here.', at)];
}

const problem = (code: string, message: string, pointer: string): Problem => ({
  code,
  message,
  detail: { pointer },
});

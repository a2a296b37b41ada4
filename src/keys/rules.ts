import {
  everyTeamGrant,
  isOwnerSessionGrant,
  organizationPermissionByGrant,
  personalPermissionByGrant,
  teamPermissionByGrant,
} from '../authz/permissions.ts';
import type { ErrorCode } from '../platform/errors/error-codes.ts';
import { MAX_PROBLEMS } from '../platform/errors/refusal.ts';
import type { Problem } from '../platform/errors/refusal.ts';
import { isUnchanged } from '../platform/unchanged.ts';
import { faultsOfPolicies } from '../policies/item-policies.ts';
import type { PolicyItems } from '../policies/item-policies.ts';
import type { Grant, KeyEdit, Policies } from './schema.ts';
import type { KeyRow } from './store.ts';

/**
 * Returns the problems of grants: a second grant for a context (G4), or a permission that a grant
 * cannot contain.
 */
export function grantProblems(grants: readonly Grant[]): Problem[] {
  const problems = contextProblems(grants);
  for (const [index, grant] of grants.entries())
    for (const [position, name] of grant.permissions.entries()) {
      if (problems.length >= MAX_PROBLEMS) return problems.slice(0, MAX_PROBLEMS);
      problems.push(...permissionProblems(grant, name, `/grants/${index}/permissions/${position}`));
    }
  return problems.slice(0, MAX_PROBLEMS);
}

function contextProblems(grants: readonly Grant[]): Problem[] {
  const contexts = new Set<string>();
  return grants.flatMap(({ scope }, index) => {
    const pointer = `/grants/${index}`;
    const context = scope.type === 'org' ? scope.org_id : scope.type;
    const isRepeated = contexts.size === contexts.add(context).size;
    return isRepeated
      ? [problem('duplicate_grant', 'There must be only one grant per context.', pointer)]
      : [];
  });
}

/** Unknown organizations get the same error (K6, K9, G5). */
export const notMember = (pointer: string): Problem =>
  problem('not_a_member', 'You are not a member of the organization.', pointer);

export const organizationSuspended = (pointer: string): Problem =>
  problem(
    'organization_suspended',
    'The organization is suspended: keys can be granted nothing there until it is reactivated.',
    pointer,
  );

export const grantNotApplicable = (index: number): Problem =>
  problem(
    'grant_not_applicable',
    'A key of an organization can have a grant for this organization only.',
    `/grants/${index}/scope`,
  );

/** A key follows all teams of an organization only if its creator may manage every team. */
export const everyTeam = (): Problem => ({
  code: 'permission_not_held',
  message:
    'You do not manage every team here, so a key cannot follow all of them: name its teams in `team_ids`.',
  detail: { pointer: '/team_ids', permission: everyTeamGrant },
});

/**
 * Returns a problem for each item policy that is sent for a key in an organization. At creation,
 * the default `all` is accepted (K1).
 */
export function ownPolicyProblems(sent: Pick<KeyEdit, keyof Policies>, isNew: boolean): Problem[] {
  return policyNames
    .filter((name) => (isNew ? sent[name]?.mode !== 'all' : true) && sent[name] !== undefined)
    .map((name) =>
      problem(
        'policy_not_applicable',
        'A key in an organization has no item policies: those of its teams apply.',
        `/${name}`,
      ),
    );
}

export const policyNames = [
  'tool_policy',
  'resource_policy',
  'prompt_policy',
  'agent_policy',
] as const satisfies readonly (keyof Policies)[];

/**
 * Agents that do not exist, belong to others or are inaccessible to the key get the same error
 * (K2).
 */
export const agentUnavailable = (): Problem =>
  problem('agent_unavailable', 'The agent is not available to this key.', '/default_agent_id');

export const pastExpiry = (): Problem =>
  problem('expires_at_past', 'The expiry must be in the future.', '/expires_at');

/** Returns the problems of the sent policies, except those equal to the stored ones. */
export const policyProblems = (
  sent: Pick<KeyEdit, keyof Policies>,
  stored: Policies | null,
  items: PolicyItems,
): Problem[] =>
  faultsOfPolicies(byFamily(sent), stored && byFamily(stored), items).map((fault) =>
    problem(fault.code, fault.message, `/${fault.family}_policy${fault.pointer}`),
  );

const byFamily = <Some extends Pick<KeyEdit, keyof Policies>>(policies: Some) => ({
  tool: policies.tool_policy as Some['tool_policy'],
  prompt: policies.prompt_policy as Some['prompt_policy'],
  resource: policies.resource_policy as Some['resource_policy'],
  agent: policies.agent_policy as Some['agent_policy'],
});

const FIELDS = [
  'name',
  'grants',
  'mcp_capabilities',
  'tool_policy',
  'resource_policy',
  'prompt_policy',
  'agent_policy',
  'default_agent_id',
  'tool_listing',
  'team_ids',
  'allowed_addresses',
  'hours',
] as const satisfies readonly (keyof KeyEdit & keyof KeyRow)[];

/** Returns whether an edit of a key changes nothing. */
export const isKeyUnchanged = (edit: KeyEdit, stored: KeyRow): boolean =>
  FIELDS.every((field) => edit[field] === undefined || isUnchanged(stored[field], edit[field])) &&
  (edit.expires_at === undefined || isSameTimestamp(edit.expires_at, stored.expires_at));

/** Compares two expiries; null means no expiry. */
export const isSameTimestamp = (a: string | null, b: string | null): boolean =>
  a === null || b === null ? a === b : Date.parse(a) === Date.parse(b);

function permissionProblems(grant: Grant, name: string, pointer: string): Problem[] {
  if (isOwnerSessionGrant(name))
    return [
      problem('permission_not_grantable', 'Keys cannot be granted this permission.', pointer),
    ];
  const isKnown =
    grant.scope.type === 'personal'
      ? personalPermissionByGrant(name) !== null
      : (organizationPermissionByGrant(name) ?? teamPermissionByGrant(name)) !== null;
  return isKnown
    ? []
    : [
        problem(
          'unknown_permission',
          grant.scope.type === 'personal'
            ? 'A personal grant cannot contain this permission: name one such as `can_view_prompts`.'
            : 'A grant for an organization cannot contain this permission: name one such as `can_view_organization_prompts`.',
          pointer,
        ),
      ];
}

const problem = (code: ErrorCode, message: string, pointer: string): Problem => ({
  code,
  message,
  detail: { pointer },
});

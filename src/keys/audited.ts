import { grantFor } from '../organizations/organizations.ts';
import { isUnchanged } from '../platform/unchanged.ts';
import { policyNames } from './rules.ts';
import type { Policies } from './schema.ts';
import type { KeyRow } from './store.ts';

/**
 * Returns what the audit log records of a key. An organization's entry contains only what concerns
 * it: for a key that runs elsewhere, only its grant and its expiry.
 */
export function auditedKey(key: KeyRow, organization_id: string | null) {
  const { name, mcp_capabilities, runs_in, follows_teams, team_ids, default_agent_id } = key;
  const { grants, expires_at, tool_listing, allowed_addresses, hours } = key;
  const reach = { grants, mcp_capabilities, runs_in, follows_teams, team_ids };
  const all = { name, ...reach, tool_listing, allowed_addresses, hours };
  if (organization_id === null)
    return { ...all, default_agent_id, expires_at, ...(runs_in === null ? policiesOf(key) : {}) };
  const grant = grantFor(grants, organization_id);
  const own = { grants: grant === null ? [] : [grant], expires_at };
  return runs_in === organization_id ? { ...all, default_agent_id, ...own } : own;
}

/**
 * Returns what the audit log records of a change of a key: all of it before and after, with the whole item
 * policies, so that each entry shows by itself what the key was admitted to; `policies` names those that
 * changed.
 */
export function auditedChange(before: KeyRow, after: KeyRow, organization_id: string | null) {
  const changed = policyNames.filter((name) => !isUnchanged(before[name], after[name]));
  return {
    before: auditedKey(before, organization_id),
    after: auditedKey(after, organization_id),
    ...(organization_id === null && changed.length > 0 ? { policies: changed } : {}),
  };
}

const policiesOf = (key: Policies) =>
  Object.fromEntries(policyNames.map((name) => [name, key[name]]));

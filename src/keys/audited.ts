import type { KeyRow } from './store.ts';
import { grantFor } from './tuples.ts';

/**
 * Returns what the audit log records of a key. An organization's entry contains only what concerns
 * it: for a key that runs elsewhere, only its grant and its expiry.
 */
export function auditedKey(key: KeyRow, organization_id: string | null) {
  const { name, mcp_capabilities, runs_in, follows_teams, team_ids, default_agent_id } = key;
  const { grants, expires_at } = key;
  const all = { name, grants, mcp_capabilities, runs_in, follows_teams, team_ids };
  if (organization_id === null) return { ...all, default_agent_id, expires_at };
  const grant = grantFor(grants, organization_id);
  const own = { grants: grant === null ? [] : [grant], expires_at };
  return runs_in === organization_id ? { ...all, default_agent_id, ...own } : own;
}

import { isUnchanged } from '../platform/unchanged.ts';
import { policyNames } from './rules.ts';
import type { Policies } from './schema.ts';
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
  if (organization_id === null)
    return { ...all, default_agent_id, expires_at, ...(runs_in === null ? summaries(key) : {}) };
  const grant = grantFor(grants, organization_id);
  const own = { grants: grant === null ? [] : [grant], expires_at };
  return runs_in === organization_id ? { ...all, default_agent_id, ...own } : own;
}

/** Returns what the audit log records of a change of a key, with the item policies it changed. */
export function auditedChange(before: KeyRow, after: KeyRow, organization_id: string | null) {
  const changed = policyNames.filter((name) => !isUnchanged(before[name], after[name]));
  const isRecorded = organization_id === null && changed.length > 0;
  return {
    before: auditedKey(before, organization_id),
    after: auditedKey(after, organization_id),
    ...(isRecorded ? { policies: changed } : {}),
  };
}

/**
 * Returns the modes of a key's item policies and the lengths of their lists. The lists can take
 * hundreds of kilobytes, and entries of the audit log are kept forever.
 */
const summaries = (key: Policies) =>
  Object.fromEntries(
    policyNames.map((name) => [
      name,
      Object.fromEntries(
        Object.entries(key[name]).map(([field, value]: [string, unknown]) => [
          field,
          Array.isArray(value) ? value.length : value,
        ]),
      ),
    ]),
  );

import { families } from '../content/items/schema.ts';
import type { ExplainQuery } from './schema.ts';

/** Errors for an invalid draft or edit. */
export const DRAFT_ERRORS = [
  'agent_unavailable',
  'capability_escalation',
  'duplicate_grant',
  'duplicate_item',
  'empty_list',
  'expires_at_past',
  'not_a_member',
  'organization_suspended',
  'permission_not_grantable',
  'permission_not_held',
  'policy_not_applicable',
  'unknown_item',
  'unknown_permission',
  'unknown_team',
] as const;

// The longest policies may take thirty seconds to evaluate (docs/limits.md).
export const POLICY_MS = 40_000;

/** Returns the item that a query names. */
export function itemOf(query: ExplainQuery) {
  const family = families.find((name) => query[name] !== undefined)!;
  return { family, item: query[family]! };
}

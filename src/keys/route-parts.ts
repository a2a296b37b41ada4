import { families } from '../content/items/schema.ts';
import type { ExplainQuery, Preview } from './schema.ts';
import type { WarningsOf } from './unusable-grants.ts';

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

/** Returns the item that a query names, and the client’s address. */
export function itemOf(query: ExplainQuery) {
  const family = families.find((name) => query[name] !== undefined)!;
  return { family, item: query[family]!, address: query.address };
}

/** Adds the warnings about what a key is granted to what it sees. */
export const withWarnings = <Seen extends { warnings: Preview['warnings'] }>(
  warningsOf: WarningsOf,
  { grants, mcp_capabilities }: Parameters<WarningsOf>[0],
  { warnings, ...seen }: Seen,
) => ({ ...seen, warnings: [...warningsOf({ grants, mcp_capabilities }), ...warnings] });

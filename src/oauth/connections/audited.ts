import type { ConnectionRow } from './store.ts';

/** Returns what the audit log records of a connection. */
export const audited = ({
  client_id,
  account_id,
  organization_id,
  scopes,
  follows_teams,
  has_own_authority,
  team_ids,
  default_agent_id,
  tool_listing,
  allowed_addresses,
  hours,
}: ConnectionRow) => ({
  ...{ client_id, account_id, organization_id, scopes, follows_teams, has_own_authority },
  ...{ team_ids, default_agent_id, tool_listing, allowed_addresses, hours },
});

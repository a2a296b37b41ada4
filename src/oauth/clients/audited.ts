import type { OAuthClient } from './store.ts';

/** Returns what the audit log records of a client. */
export function auditedClient(client: OAuthClient) {
  const { name, type, grant_types, redirect_uris, allowed_scopes, disabled_at } = client;
  const { require_pkce, follows_teams, team_ids } = client;
  return {
    ...{ name, type, grant_types, redirect_uris, allowed_scopes, require_pkce },
    ...{ follows_teams, team_ids },
    disabled: disabled_at !== null,
  };
}

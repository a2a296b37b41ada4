import { scopeClosure } from '../../authz/permissions.ts';
import type { ClientEdit } from './schema.ts';
import type { OAuthClient } from './store.ts';

/** Fields that decide what a client can do, or who can get its codes and tokens. */
const SENSITIVE = [
  ...(['grant_types', 'redirect_uris', 'allowed_scopes', 'require_pkce', 'team_ids'] as const),
];

/** Whether an edit gives a client something; renaming or disabling one does not. */
export const isSensitive = (edit: ClientEdit): boolean =>
  edit.disabled === false || SENSITIVE.some((field) => edit[field] !== undefined);

/** Returns the fields of an edit that differ from the stored client. */
export function changedFields(stored: OAuthClient, sent: ClientEdit): ClientEdit {
  const edit = { ...sent };
  if (sent.name === stored.name) delete edit.name;
  if (isSameSet(sent.grant_types, stored.grant_types)) delete edit.grant_types;
  if (JSON.stringify(sent.redirect_uris) === JSON.stringify(stored.redirect_uris))
    delete edit.redirect_uris;
  if (sent.require_pkce === stored.require_pkce) delete edit.require_pkce;
  const scopes = sent.allowed_scopes && scopeClosure(sent.allowed_scopes);
  if (isSameSet(scopes, stored.allowed_scopes)) delete edit.allowed_scopes;
  // A person's client stores no teams; a list is refused.
  const bound = stored.organization_id === null ? null : stored.team_ids;
  if (sent.team_ids === null ? bound === null : isSameSet(sent.team_ids, bound))
    delete edit.team_ids;
  if (sent.disabled === (stored.disabled_at !== null)) delete edit.disabled;
  for (const [name, value] of Object.entries(edit))
    if (value === undefined) delete edit[name as keyof ClientEdit];
  return edit;
}

const isSameSet = (
  sent: readonly string[] | null | undefined,
  stored: readonly string[] | null,
): boolean =>
  sent != null && stored !== null && new Set(sent).symmetricDifference(new Set(stored)).size === 0;

/** Returns a client with the changed fields. */
export function withEdit(stored: OAuthClient, edit: ClientEdit): OAuthClient {
  const { disabled, name = stored.name, team_ids = stored.team_ids } = edit;
  const grant_types = edit.grant_types ?? stored.grant_types;
  const disabledAt = disabled ? 'now' : null;
  return {
    ...{ ...stored, name, grant_types, team_ids },
    redirect_uris: edit.redirect_uris ?? stored.redirect_uris,
    allowed_scopes: edit.allowed_scopes ? scopeClosure(edit.allowed_scopes) : stored.allowed_scopes,
    require_pkce: edit.require_pkce ?? stored.require_pkce,
    follows_teams: edit.team_ids === undefined ? stored.follows_teams : edit.team_ids === null,
    has_own_authority: grant_types.includes('client_credentials'),
    disabled_at: disabled === undefined ? stored.disabled_at : disabledAt,
  };
}

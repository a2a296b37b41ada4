-- Lists that are searched and sorted (docs/decisions/0049). Each index begins with what chooses the
-- list, so that a page costs the same in a long one. The collation C sorts as LIKE compares.

CREATE INDEX CONCURRENTLY IF NOT EXISTS item_by_name
  ON item (space_id, family, (lower(name)) COLLATE "C", id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS upstream_by_name
  ON upstream (space_id, (lower(name)) COLLATE "C", id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS api_key_by_name
  ON api_key (account_id, (lower(name)) COLLATE "C", id)
  WHERE revoked_at IS NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS api_key_of_organization_by_name
  ON api_key (organization_id, (lower(name)) COLLATE "C", id) WHERE revoked_at IS NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS api_key_by_use
  ON api_key (account_id, (coalesce(last_used_at, created_at)), id)
  WHERE revoked_at IS NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS api_key_of_organization_by_use
  ON api_key (organization_id, (coalesce(last_used_at, created_at)), id) WHERE revoked_at IS NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS api_key_team_of_team ON api_key_team (team_id, key_id);
DROP INDEX CONCURRENTLY IF EXISTS api_key_team_by_team;
CREATE INDEX CONCURRENTLY IF NOT EXISTS oauth_client_by_name
  ON oauth_client (account_id, (lower(name)) COLLATE "C", id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS oauth_client_of_organization_by_name
  ON oauth_client (organization_id, (lower(name)) COLLATE "C", id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS oauth_connection_by_use
  ON oauth_connection (account_id, (coalesce(last_used_at, created_at)), id)
  WHERE revoked_at IS NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS oauth_connection_of_organization_by_use
  ON oauth_connection (organization_id, (coalesce(last_used_at, created_at)), id)
  WHERE revoked_at IS NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS organization_invitation_by_address
  ON organization_invitation (organization_id, (lower(email)) COLLATE "C", id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS membership_role_of_role
  ON membership_role (organization_id, role_id, membership_id);
DROP INDEX CONCURRENTLY IF EXISTS membership_role_by_role;

CREATE INDEX CONCURRENTLY IF NOT EXISTS audit_event_by_actor
  ON audit_event (scope_id, actor_id, at DESC, id DESC)
  WHERE scope_kind = 'account';
CREATE INDEX CONCURRENTLY IF NOT EXISTS audit_event_of_organization_by_actor
  ON audit_event (organization_id, actor_id, at DESC, id DESC) WHERE organization_id IS NOT NULL;

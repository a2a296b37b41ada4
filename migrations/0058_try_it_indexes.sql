-- The names of built-in clients are unique, and a session's connections are found when it ends.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS oauth_client_built_in
  ON oauth_client (built_in) WHERE built_in IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS oauth_connection_of_session ON oauth_connection (session_id)
  WHERE session_id IS NOT NULL AND revoked_at IS NULL;

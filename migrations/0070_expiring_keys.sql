-- Keys whose owners must be told that they expire.
CREATE INDEX CONCURRENTLY IF NOT EXISTS api_key_expiring
  ON api_key (expires_at) WHERE revoked_at IS NULL AND expiry_notice IS DISTINCT FROM 1;

-- The calls of a key, newest first. The organization pays for those of a key that runs in it, so they
-- are among the calls of the whole organization. Each partition gets its index while gateways write to
-- it; a partition that is created meanwhile has one from the start.

CREATE INDEX IF NOT EXISTS usage_ledger_of_key
  ON ONLY usage_ledger (key_id, created_at DESC, call_id DESC) WHERE key_id IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS :partition_of_key
  ON :partition (key_id, created_at DESC, call_id DESC) WHERE key_id IS NOT NULL;
ALTER INDEX usage_ledger_of_key ATTACH PARTITION :partition_of_key;

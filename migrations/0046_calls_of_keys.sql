-- The calls of a key, newest first. The organization pays for those of a key that runs in it, so they
-- are among the calls of the whole organization. Gateways buffer the calls of a few seconds while
-- this is built.

CREATE INDEX usage_ledger_of_key ON usage_ledger (key_id, created_at DESC, call_id DESC)
  WHERE key_id IS NOT NULL;

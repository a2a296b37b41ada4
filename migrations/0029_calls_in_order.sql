-- Ascending, as calls come: PostgreSQL then fills pages where those of descending order stay half
-- empty, and reads them backwards for the newest first. A third of what the index costs an insert.
CREATE INDEX usage_ledger_in_order
  ON usage_ledger (owner_id, owner_kind, created_at, call_id);
DROP INDEX usage_ledger_newest;
CREATE INDEX usage_ledger_went_wrong
  ON usage_ledger (owner_id, owner_kind, created_at, call_id) WHERE outcome <> 'ok';
DROP INDEX usage_ledger_not_ok;

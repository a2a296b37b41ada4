-- An applied part is over once a later one is applied: the sweep reads those alone, never the last
-- part of each scope, which its fence and the store watch need.
ALTER TABLE authz_outbox
  ALTER COLUMN fence SET NOT NULL,
  ADD COLUMN superseded_at timestamptz;
CREATE INDEX authz_outbox_superseded ON authz_outbox (superseded_at) WHERE superseded_at IS NOT NULL;
CREATE INDEX authz_outbox_last_applied ON authz_outbox (kind, id, seq, part)
  WHERE applied_at IS NOT NULL AND superseded_at IS NULL;

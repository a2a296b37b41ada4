-- Which changes of OpenFGA's tuples were compared with the outbox (docs/decisions/0058).

-- How far the change log of the store was read; one row.
CREATE TABLE IF NOT EXISTS authz_change_log (
  single          boolean PRIMARY KEY DEFAULT true CHECK (single),
  store_id        text NOT NULL,
  -- OpenFGA's continuation token, null if nothing was read since `begins_at`
  token           text,
  begins_at       timestamptz NOT NULL,
  -- raised whenever the position changes, so that no two gateways save what they read from the same one
  version         bigint NOT NULL DEFAULT 0,
  -- the gateway process that reads, until another may take over
  claimed_by      uuid,
  claimed_until   timestamptz NOT NULL DEFAULT now(),
  -- time of the newest foreign write, in OpenFGA's clock
  last_foreign_at timestamptz,
  -- when the last `toolgate drift --repair` began
  repaired_at     timestamptz
);

-- Writes of ours without a fencing token of their own, until the change log has shown them.
CREATE TABLE IF NOT EXISTS authz_unfenced_write (
  id         uuid PRIMARY KEY,
  deletes    jsonb NOT NULL,
  writes     jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX CONCURRENTLY IF NOT EXISTS authz_unfenced_write_created
  ON authz_unfenced_write (created_at);
-- The change log names a part of the outbox by its fencing token alone.
CREATE INDEX CONCURRENTLY IF NOT EXISTS authz_outbox_fence ON authz_outbox (fence);

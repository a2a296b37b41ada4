-- Limits and usage: every admitted call once, by its call id, and the usage of each quota owner.

CREATE TABLE usage_ledger (
  call_id     uuid NOT NULL,
  -- First day of the month (UTC) in which the call was admitted; the partition key.
  month       date NOT NULL CHECK (extract(day FROM month) = 1),
  owner_kind  text NOT NULL CHECK (owner_kind IN ('account', 'organization')),
  owner_id    uuid NOT NULL,
  kind        text NOT NULL CHECK (kind IN ('tool_call', 'system_call', 'content_read')),
  -- Whether it counts towards the monthly quota: system calls and content reads do not.
  counted     boolean NOT NULL,
  account_id  uuid,
  key_id      uuid,
  -- the tool, prompt or resource
  item_id     text,
  item_name   text,
  -- The following are null while the call runs, and stay null if its gateway dies before it ends.
  outcome     text,
  layer       text,
  duration_ms integer CHECK (duration_ms >= 0),
  created_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (call_id, month)
) PARTITION BY RANGE (month);

-- Read newest first by database time, so the gateways' clocks do not matter.
CREATE INDEX usage_ledger_newest
  ON usage_ledger (owner_id, owner_kind, created_at DESC, call_id DESC);
-- Small, since few calls fail: finds the latest failures without reading successful calls.
CREATE INDEX usage_ledger_not_ok
  ON usage_ledger (owner_id, owner_kind, created_at DESC, call_id DESC) WHERE outcome <> 'ok';

-- Takes the rows of months without a partition, so that none is lost.
CREATE TABLE usage_ledger_other PARTITION OF usage_ledger DEFAULT;

-- Creates the partitions of last month to `months_ahead` from now; cheap when they exist.
CREATE FUNCTION usage_ledger_prepare(months_ahead integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  first date;
  part text;
BEGIN
  FOR ahead IN -1..months_ahead LOOP
    first := date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => ahead);
    part := 'usage_ledger_' || to_char(first, 'YYYY_MM');
    CONTINUE WHEN to_regclass(part) IS NOT NULL;
    PERFORM pg_advisory_xact_lock(hashtext('usage_ledger_prepare'));
    BEGIN
      EXECUTE format(
        'CREATE TABLE IF NOT EXISTS %I PARTITION OF usage_ledger FOR VALUES FROM (%L) TO (%L)',
        part, first, first + interval '1 month');
    EXCEPTION WHEN check_violation THEN
      -- usage_ledger_other already contains rows of that month and keeps receiving them.
      NULL;
    END;
  END LOOP;
END
$$;

SELECT usage_ledger_prepare(2);

-- Deletes calls older than `months_kept` months; usage_month and usage_day keep their sums.
CREATE FUNCTION usage_ledger_forget(months_kept integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  oldest date := date_trunc('month', now() AT TIME ZONE 'UTC')
    - make_interval(months => months_kept);
  part text;
BEGIN
  -- Dropping a partition locks the whole ledger: give up and try later rather than delay calls.
  PERFORM set_config('lock_timeout', '200ms', true);
  PERFORM pg_advisory_xact_lock(hashtext('usage_ledger_prepare'));
  FOR part IN
    SELECT child.relname FROM pg_inherits
    JOIN pg_class child ON child.oid = inhrelid
    WHERE inhparent = 'usage_ledger'::regclass AND child.relname ~ '^usage_ledger_\d{4}_\d\d$'
      AND child.relname < 'usage_ledger_' || to_char(oldest, 'YYYY_MM')
  LOOP
    EXECUTE format('DROP TABLE %I', part);
  END LOOP;
  DELETE FROM usage_ledger_other WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM usage_ledger_other WHERE month < oldest LIMIT 1000));
EXCEPTION WHEN lock_not_available THEN
  NULL;
END
$$;

CREATE TABLE usage_month (
  owner_kind text NOT NULL CHECK (owner_kind IN ('account', 'organization')),
  owner_id   uuid NOT NULL,
  month      date NOT NULL CHECK (extract(day FROM month) = 1),
  -- Number of `counted` calls; incremented in the statement that inserts their usage_ledger rows.
  calls      bigint NOT NULL CHECK (calls >= 0),
  PRIMARY KEY (owner_id, owner_kind, month)
-- Leaves room on each page for new versions of its rows: each flush updates the rows of many owners,
-- and an update that stays on the page touches no index.
) WITH (fillfactor = 50);

-- Counted calls of each item by day; the days of a month add up to its usage_month.
CREATE TABLE usage_day (
  owner_kind text NOT NULL CHECK (owner_kind IN ('account', 'organization')),
  owner_id   uuid NOT NULL,
  day        date NOT NULL,
  item_id    text NOT NULL,
  -- the name of its last call
  item_name  text NOT NULL,
  calls      bigint NOT NULL CHECK (calls >= 0),
  PRIMARY KEY (owner_id, owner_kind, day, item_id)
) WITH (fillfactor = 50);
CREATE INDEX usage_day_by_age ON usage_day (day);

-- Gateways that share the limits while Redis is unreachable: one row per process, live for 15 s.
CREATE TABLE gateway_instance (
  id         uuid PRIMARY KEY,
  started_at timestamptz NOT NULL DEFAULT now(),
  seen_at    timestamptz NOT NULL DEFAULT now()
);

-- Usage: every admitted call once, by its call id, and what each owner used in each month.

CREATE TABLE usage_ledger (
  call_id uuid NOT NULL,
  -- First day of the month (UTC) the admission counted in; the partition key.
  month date NOT NULL CHECK (extract(day FROM month) = 1),
  owner_kind text NOT NULL CHECK (owner_kind IN ('account', 'organization')),
  owner_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('tool_call', 'system_call', 'content_read')),
  -- Whether it counts in the monthly quota: system calls and content reads do not.
  counted boolean NOT NULL,
  -- Null while the call runs, and for ever if its gateway died before it ended.
  account_id uuid,
  key_id uuid,
  tool_id text,
  tool_name text,
  outcome text,
  duration_ms integer CHECK (duration_ms >= 0),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (call_id, month)
) PARTITION BY RANGE (month);

CREATE INDEX usage_ledger_owner ON usage_ledger (owner_id, owner_kind, created_at);

-- A row is never lost for want of a partition.
CREATE TABLE usage_ledger_other PARTITION OF usage_ledger DEFAULT;

-- Makes the partitions of last month to `months_ahead` from now; cheap when they are there.
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
      -- usage_ledger_other already holds rows of that month, and goes on holding them.
      NULL;
    END;
  END LOOP;
END
$$;

SELECT usage_ledger_prepare(2);

CREATE TABLE usage_month (
  owner_kind text NOT NULL CHECK (owner_kind IN ('account', 'organization')),
  owner_id uuid NOT NULL,
  month date NOT NULL CHECK (extract(day FROM month) = 1),
  -- Rows of usage_ledger that are `counted`; raised in the statement that inserts them.
  calls bigint NOT NULL CHECK (calls >= 0),
  PRIMARY KEY (owner_id, owner_kind, month)
);

-- Who shares the limits while Redis is away: one row per gateway process, live for 15 s.
CREATE TABLE gateway_instance (
  id uuid PRIMARY KEY,
  started_at timestamptz NOT NULL DEFAULT now(),
  seen_at timestamptz NOT NULL DEFAULT now()
);

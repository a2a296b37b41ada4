-- Usage: single calls are kept for thirteen months, so that a month meets the same of last year.

-- Forgets the calls before that; what each owner used in a month stays in usage_month.
CREATE FUNCTION usage_ledger_forget(months_kept integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  oldest date := date_trunc('month', now() AT TIME ZONE 'UTC')
    - make_interval(months => months_kept);
  part text;
BEGIN
  -- A partition is dropped under a lock on the whole ledger: rather later than calls waiting.
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

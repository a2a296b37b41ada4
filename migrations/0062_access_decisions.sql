-- What was decided about access: every denied decision, and a sample of the allowed ones.

CREATE TABLE access_decision (
  id              uuid NOT NULL,
  -- First day of the month (UTC) of the decision; the partition key.
  month           date NOT NULL CHECK (extract(day FROM month) = 1),
  at              timestamptz NOT NULL,
  -- The tenant: the organization whose log has the decision; null for a personal account.
  organization_id uuid,
  -- The person that the subject is or acts for; null for a credential of an organization.
  account_id      uuid,
  -- the X-Request-Id of the response
  request_id      uuid NOT NULL,
  subject_kind    text NOT NULL
    CHECK (subject_kind IN ('member', 'key', 'organization_key', 'connection', 'client')),
  -- of a member: of the account
  subject_id      uuid NOT NULL,
  -- Family of the item; null if the decision is about a permission.
  family          text CHECK (family IN ('tool', 'prompt', 'resource', 'agent')),
  -- A permission, or the item's name: null if it does not exist, or is in a member's own space.
  action          text,
  item_id         text,
  -- the team in the path of the request, or that the item belongs to
  team_id         uuid,
  outcome         text NOT NULL CHECK (outcome IN ('allowed', 'denied')),
  -- null if allowed
  layer           text,
  reason          text,
  model_id        text NOT NULL,
  -- null if unknown
  cached          boolean,
  -- How many decisions the row stands for.
  sampled         integer NOT NULL CHECK (sampled >= 1),
  PRIMARY KEY (id, month),
  CHECK (num_nonnulls(organization_id, account_id) >= 1),
  CHECK (family IS NOT NULL OR action IS NOT NULL),
  CHECK ((outcome = 'denied') = (layer IS NOT NULL) AND (layer IS NULL) = (reason IS NULL))
) PARTITION BY RANGE (month);

CREATE INDEX access_decision_newest ON access_decision (organization_id, at DESC, id DESC);
CREATE INDEX access_decision_denied
  ON access_decision (organization_id, at DESC, id DESC) WHERE outcome = 'denied';
CREATE INDEX access_decision_of_subject
  ON access_decision (organization_id, subject_id, at DESC, id DESC);
CREATE INDEX access_decision_of_action
  ON access_decision (organization_id, action, at DESC, id DESC);
CREATE INDEX access_decision_by_reason
  ON access_decision (organization_id, reason, at DESC, id DESC) WHERE reason IS NOT NULL;

-- Takes the rows of months without a partition, so that none is lost.
CREATE TABLE access_decision_other PARTITION OF access_decision DEFAULT;

-- Creates the partitions of last month to `months_ahead` from now; cheap when they exist.
CREATE FUNCTION access_decision_prepare(months_ahead integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  first date;
  part text;
BEGIN
  FOR ahead IN -1..months_ahead LOOP
    first := date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => ahead);
    part := 'access_decision_' || to_char(first, 'YYYY_MM');
    CONTINUE WHEN to_regclass(part) IS NOT NULL;
    PERFORM pg_advisory_xact_lock(hashtext('access_decision_prepare'));
    BEGIN
      EXECUTE format(
        'CREATE TABLE IF NOT EXISTS %I PARTITION OF access_decision FOR VALUES FROM (%L) TO (%L)',
        part, first, first + interval '1 month');
    EXCEPTION WHEN check_violation THEN
      -- access_decision_other already contains rows of that month and keeps receiving them.
      NULL;
    END;
  END LOOP;
END
$$;

SELECT access_decision_prepare(2);

-- Deletes decisions older than `months_kept` months.
CREATE FUNCTION access_decision_forget(months_kept integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  oldest date := date_trunc('month', now() AT TIME ZONE 'UTC')
    - make_interval(months => months_kept);
  part text;
BEGIN
  -- Dropping a partition locks the whole table: give up and try later rather than delay writers.
  PERFORM set_config('lock_timeout', '200ms', true);
  PERFORM pg_advisory_xact_lock(hashtext('access_decision_prepare'));
  FOR part IN
    SELECT child.relname FROM pg_inherits
    JOIN pg_class child ON child.oid = inhrelid
    WHERE inhparent = 'access_decision'::regclass
      AND child.relname ~ '^access_decision_\d{4}_\d\d$'
      AND child.relname < 'access_decision_' || to_char(oldest, 'YYYY_MM')
  LOOP
    EXECUTE format('DROP TABLE %I', part);
  END LOOP;
  DELETE FROM access_decision_other WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM access_decision_other WHERE month < oldest LIMIT 1000));
EXCEPTION WHEN lock_not_available THEN
  NULL;
END
$$;

-- Calls of each day that do not count towards a quota, next to those of usage_day: without them, a
-- chart of refused calls would read every call.

CREATE TABLE usage_uncounted (
  owner_kind    text NOT NULL CHECK (owner_kind IN ('account', 'organization')),
  owner_id      uuid NOT NULL,
  day           date NOT NULL,
  refused       bigint NOT NULL CHECK (refused >= 0),
  content_reads bigint NOT NULL CHECK (content_reads >= 0),
  PRIMARY KEY (owner_id, owner_kind, day)
) WITH (fillfactor = 50);
CREATE INDEX usage_uncounted_by_age ON usage_uncounted (day);

-- The days that can be asked for. Gateways of the version before do not add to them.
INSERT INTO usage_uncounted (owner_kind, owner_id, day, refused, content_reads)
SELECT owner_kind, owner_id, (created_at AT TIME ZONE 'UTC')::date,
  count(*) FILTER (WHERE outcome = 'refused'),
  count(*) FILTER (WHERE outcome IS DISTINCT FROM 'refused')
FROM usage_ledger
WHERE month >= (date_trunc('month', now() AT TIME ZONE 'UTC') - interval '4 months')::date
  AND (outcome = 'refused' OR kind = 'content_read')
GROUP BY 1, 2, 3;

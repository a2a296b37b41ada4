-- What the fence of a scope is called once a part is in: a database that falls back to an earlier
-- state gives its numbers out again, and a change must not be taken for one that was lost.
ALTER TABLE authz_outbox
  -- null in rows of before: their position
  ADD COLUMN fence text;

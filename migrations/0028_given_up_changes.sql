-- Changes OpenFGA refused for good and a repair went past: never applied, and kept to be looked at.
ALTER TABLE authz_outbox
  ADD COLUMN given_up_at timestamptz;

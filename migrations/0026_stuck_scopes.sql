-- Scopes whose next change OpenFGA refuses for good: they are closed, and nobody else is for them.
ALTER TABLE authz_scope
  -- since when; null while its changes go through or may yet
  ADD COLUMN stuck_since timestamptz;

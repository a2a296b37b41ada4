-- What one account could make rows of without end: chains of refresh tokens, refused attempts.

-- Refresh tokens are numbered and signed (docs/decisions/0015). Those of before are none any more,
-- so their sessions end.
DROP TABLE account_session_ancestor;
ALTER TABLE account_session
  DROP COLUMN refresh_hash,
  -- the number of the current refresh token
  ADD COLUMN rotation bigint NOT NULL DEFAULT 0;
UPDATE account_session SET revoked_at = now() WHERE revoked_at IS NULL;

-- What was done stays; what was refused can be tried at will, and ends.
DROP INDEX audit_event_of_nobody;
CREATE INDEX audit_event_refused ON audit_event (at) WHERE outcome = 'refused';
DROP TRIGGER audit_event_outlives ON audit_event;
CREATE TRIGGER audit_event_outlives BEFORE DELETE ON audit_event
  FOR EACH ROW
  WHEN (NOT (OLD.outcome = 'refused' AND OLD.at < now() - interval '90 days'))
  EXECUTE FUNCTION refuse_audit_edit();
ALTER TABLE audit_event ENABLE ALWAYS TRIGGER audit_event_outlives;

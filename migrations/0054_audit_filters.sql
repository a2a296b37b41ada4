-- The entries of the audit log by their action and outcome, so that filters by either read only what
-- they return (docs/decisions/0049).
CREATE INDEX CONCURRENTLY IF NOT EXISTS audit_event_by_action
  ON audit_event (scope_id, action, outcome, at DESC, id DESC)
  WHERE scope_kind = 'account';
CREATE INDEX CONCURRENTLY IF NOT EXISTS audit_event_of_organization_by_action
  ON audit_event (organization_id, action, outcome, at DESC, id DESC)
  WHERE organization_id IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS audit_event_by_outcome
  ON audit_event (scope_id, outcome, at DESC, id DESC)
  WHERE scope_kind = 'account';
CREATE INDEX CONCURRENTLY IF NOT EXISTS audit_event_of_organization_by_outcome
  ON audit_event (organization_id, outcome, at DESC, id DESC) WHERE organization_id IS NOT NULL;

-- An index like those of the filters (migration 0054): with the same first column, the planner
-- compares them by how many entries each reads, and not by how that column happens to be stored.
CREATE INDEX CONCURRENTLY IF NOT EXISTS audit_event_of_account
  ON audit_event (scope_id, at DESC, id DESC) WHERE scope_kind = 'account';
DROP INDEX CONCURRENTLY IF EXISTS audit_event_newest;

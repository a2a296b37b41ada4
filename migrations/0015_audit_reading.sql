-- Audit: read newest first by database time, whatever the clocks of the gateways said.

CREATE INDEX audit_event_newest ON audit_event (scope_kind, scope_id, at DESC, id DESC);
DROP INDEX audit_event_by_scope;

-- A session that plays a replica would pass triggers that are not always on.
ALTER TABLE audit_event ENABLE ALWAYS TRIGGER audit_event_append_only;
ALTER TABLE audit_event ENABLE ALWAYS TRIGGER audit_event_outlives;

-- Every kind of credential acts in the audit: a session as its user, the others as themselves.

ALTER TABLE audit_event DROP CONSTRAINT audit_event_actor_kind_check;
ALTER TABLE audit_event ADD CONSTRAINT audit_event_actor_kind_check
  CHECK (actor_kind IN ('user', 'api_key', 'org_key', 'connection', 'machine', 'system'));

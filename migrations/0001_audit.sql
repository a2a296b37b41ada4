-- Audit log: who changed what. No row references another table, so rows outlive what they describe.

CREATE TABLE audit_event (
  id            uuid PRIMARY KEY,
  at            timestamptz NOT NULL DEFAULT now(),
  -- a session acts as its user, every other credential as itself
  actor_kind    text NOT NULL
    CHECK (actor_kind IN ('user', 'api_key', 'org_key', 'connection', 'machine', 'system')),
  actor_id      uuid,
  -- the session or key of the request; null: the request had none
  credential_id uuid,
  request_id    text,
  address       text,
  action        text NOT NULL,
  outcome       text NOT NULL DEFAULT 'done' CHECK (outcome IN ('done', 'refused')),
  -- the scope whose history lists the row; null: no known account (sign-in with an unknown address)
  scope_kind    text,
  scope_id      uuid,
  units         jsonb NOT NULL DEFAULT '[]',
  detail        jsonb
);
-- Read newest first by database time, so the gateways' clocks do not matter.
CREATE INDEX audit_event_newest ON audit_event (scope_kind, scope_id, at DESC, id DESC);
CREATE INDEX audit_event_refused ON audit_event (at) WHERE outcome = 'refused';

CREATE FUNCTION refuse_audit_edit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit_event is append-only';
END $$;
CREATE TRIGGER audit_event_append_only BEFORE UPDATE OR TRUNCATE ON audit_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_edit();
-- Changes are stored permanently. Refused attempts are unlimited, so they expire after 90 days.
CREATE TRIGGER audit_event_outlives BEFORE DELETE ON audit_event
  FOR EACH ROW
  WHEN (NOT (OLD.outcome = 'refused' AND OLD.at < now() - interval '90 days'))
  EXECUTE FUNCTION refuse_audit_edit();
-- ALWAYS: a session in replica mode skips ordinary triggers.
ALTER TABLE audit_event ENABLE ALWAYS TRIGGER audit_event_append_only;
ALTER TABLE audit_event ENABLE ALWAYS TRIGGER audit_event_outlives;

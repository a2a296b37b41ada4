-- Retention: how the sweeps find what is over, and the one kind of audit row that ends.

CREATE INDEX mail_cooldown_by_age ON mail_cooldown (sent_at);
CREATE INDEX mail_suppression_by_end ON mail_suppression (until);

-- Failed sign-ins of unknown addresses are nobody's history, and anybody can make them.
CREATE INDEX audit_event_of_nobody ON audit_event (at)
  WHERE action = 'session.refuse' AND scope_id IS NULL;

DROP TRIGGER audit_event_append_only ON audit_event;
CREATE TRIGGER audit_event_append_only BEFORE UPDATE OR TRUNCATE ON audit_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_edit();
CREATE TRIGGER audit_event_outlives BEFORE DELETE ON audit_event
  FOR EACH ROW
  WHEN (NOT (OLD.action = 'session.refuse' AND OLD.scope_id IS NULL
    AND OLD.at < now() - interval '90 days'))
  EXECUTE FUNCTION refuse_audit_edit();

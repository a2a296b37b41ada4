-- The entries of the audit log by the objects they are about and by who acted, so that filters by
-- either read only what they return.

-- One row for each object of an entry, for the logs that list the entry. Like entries, these rows
-- reference no other table: they outlive what they describe.
CREATE TABLE audit_target (
  event_id        uuid NOT NULL,
  target_id       text NOT NULL,
  at              timestamptz NOT NULL,
  -- the account and the organization whose log lists the entry
  of_account      uuid,
  of_organization uuid,
  PRIMARY KEY (event_id, target_id)
);
CREATE INDEX audit_target_of_account
  ON audit_target (of_account, target_id, at DESC, event_id DESC) WHERE of_account IS NOT NULL;
CREATE INDEX audit_target_of_organization
  ON audit_target (of_organization, target_id, at DESC, event_id DESC)
  WHERE of_organization IS NOT NULL;

-- A trigger, so that the entries of gateways of the release before have their rows too.
CREATE FUNCTION list_audit_targets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit_target (event_id, target_id, at, of_account, of_organization)
  SELECT DISTINCT e.id, unit ->> 'id', e.at,
    CASE WHEN e.scope_kind = 'account' THEN e.scope_id END, e.organization_id
  FROM added e CROSS JOIN jsonb_array_elements(e.units) AS unit
  WHERE unit ->> 'id' IS NOT NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER audit_event_targets AFTER INSERT ON audit_event
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION list_audit_targets();

CREATE FUNCTION delete_audit_targets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM audit_target USING removed WHERE event_id = removed.id;
  RETURN NULL;
END $$;
CREATE TRIGGER audit_event_targets_delete AFTER DELETE ON audit_event
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION delete_audit_targets();

-- Append-only, like the entries. A row leaves only with its entry, which is deleted before it.
CREATE FUNCTION refuse_audit_target_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM audit_event WHERE id = OLD.event_id) THEN
    RAISE EXCEPTION 'audit_target is append-only';
  END IF;
  RETURN OLD;
END $$;
CREATE TRIGGER audit_target_append_only BEFORE UPDATE OR TRUNCATE ON audit_target
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_edit();
CREATE TRIGGER audit_target_outlives BEFORE DELETE ON audit_target
  FOR EACH ROW EXECUTE FUNCTION refuse_audit_target_delete();
ALTER TABLE audit_target ENABLE ALWAYS TRIGGER audit_target_append_only;
ALTER TABLE audit_target ENABLE ALWAYS TRIGGER audit_target_outlives;

-- Bytes of `detail` as JSON; null: written by a gateway of the release before. A page ends before it
-- gets too long.
ALTER TABLE audit_event ADD COLUMN detail_bytes integer;

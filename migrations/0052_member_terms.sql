-- What members are searched by: their addresses and names, which are columns of other tables.
CREATE TABLE IF NOT EXISTS member_term (
  organization_id uuid NOT NULL,
  membership_id   uuid NOT NULL REFERENCES membership ON DELETE CASCADE,
  term            text NOT NULL,
  PRIMARY KEY (membership_id, term)
);
CREATE INDEX CONCURRENTLY IF NOT EXISTS member_term_in_organization
  ON member_term (organization_id, (lower(term)) COLLATE "C", membership_id);

-- Replaces the terms of memberships by those of their people. Locks the accounts, whose changes
-- replace the terms of the memberships that exist then.
CREATE OR REPLACE FUNCTION set_member_terms(memberships uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM account
  WHERE id IN (SELECT account_id FROM membership WHERE id = ANY(memberships))
  ORDER BY id FOR SHARE;
  DELETE FROM member_term WHERE membership_id = ANY(memberships);
  INSERT INTO member_term (organization_id, membership_id, term)
  SELECT DISTINCT m.organization_id, m.id, term
  FROM membership m JOIN account a ON a.id = m.account_id,
    LATERAL (VALUES (a.email), (a.first_name), (a.last_name)) AS terms (term)
  WHERE m.id = ANY(memberships) AND m.left_at IS NULL AND coalesce(term, '') <> '';
END $$;

CREATE OR REPLACE FUNCTION membership_terms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_member_terms(ARRAY[NEW.id]);
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION account_terms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_member_terms(ARRAY(
    SELECT id FROM membership WHERE account_id = NEW.id AND left_at IS NULL));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER membership_terms AFTER INSERT OR UPDATE OF left_at ON membership
  FOR EACH ROW EXECUTE FUNCTION membership_terms();
CREATE OR REPLACE TRIGGER account_terms AFTER UPDATE OF email, first_name, last_name ON account
  FOR EACH ROW
  WHEN ((OLD.email, OLD.first_name, OLD.last_name)
    IS DISTINCT FROM (NEW.email, NEW.first_name, NEW.last_name))
  EXECUTE FUNCTION account_terms();

-- The terms of the members before the triggers. Each batch is a transaction, and gives way if one of
-- its accounts is locked for long, so that changes of the others wait for half a second at most.
CREATE OR REPLACE PROCEDURE add_earlier_member_terms() LANGUAGE plpgsql AS $$
DECLARE
  batch uuid[];
  last  uuid := '00000000-0000-0000-0000-000000000000';
BEGIN
  LOOP
    batch := ARRAY(SELECT id FROM membership WHERE id > last AND left_at IS NULL ORDER BY id LIMIT 500);
    EXIT WHEN batch = '{}';
    BEGIN
      PERFORM set_config('lock_timeout', '500ms', true);
      PERFORM set_member_terms(batch);
      last := batch[cardinality(batch)];
    EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
      PERFORM pg_sleep(0.5);
    END;
    COMMIT;
  END LOOP;
END $$;
CALL add_earlier_member_terms();
DROP PROCEDURE IF EXISTS add_earlier_member_terms;

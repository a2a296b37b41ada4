-- What members are searched by: their addresses and names, which are columns of other tables. Each
-- part can be repeated, since a later one may meet a lock.
CREATE TABLE IF NOT EXISTS member_term (
  organization_id uuid NOT NULL,
  membership_id   uuid NOT NULL REFERENCES membership ON DELETE CASCADE,
  term            text NOT NULL,
  PRIMARY KEY (membership_id, term)
);
CREATE INDEX IF NOT EXISTS member_term_in_organization
  ON member_term (organization_id, (lower(term)) COLLATE "C", membership_id);

-- Replaces the terms of memberships by those of their people. Locks the accounts, whose changes
-- replace the terms of the memberships that exist then.
CREATE OR REPLACE FUNCTION set_member_terms(memberships uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM member_term WHERE membership_id = ANY(memberships);
  INSERT INTO member_term (organization_id, membership_id, term)
  SELECT DISTINCT m.organization_id, m.id, term
  FROM membership m,
    LATERAL (SELECT email, first_name, last_name FROM account
      WHERE id = m.account_id FOR SHARE) a,
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
COMMIT; BEGIN;

INSERT INTO member_term (organization_id, membership_id, term)
SELECT m.organization_id, m.id, term
FROM membership m JOIN account a ON a.id = m.account_id,
  LATERAL (VALUES (a.email), (a.first_name), (a.last_name)) AS terms (term)
WHERE m.left_at IS NULL AND coalesce(term, '') <> ''
ON CONFLICT DO NOTHING;
COMMIT; BEGIN;

-- What changed meanwhile: a trigger replaced the terms before the statement above inserted old ones.
DELETE FROM member_term t USING membership m, account a
WHERE m.id = t.membership_id AND a.id = m.account_id
  AND (m.left_at IS NOT NULL
    OR (t.term IN (a.email, a.first_name, a.last_name)) IS NOT TRUE);

-- Every link is remembered, also one that a gateway of the previous release makes.
CREATE FUNCTION account_identity_remember() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO sso_access (account_id, organization_id, since)
  SELECT NEW.account_id, organization_id, NEW.created_at
  FROM sso_connection WHERE id = NEW.sso_connection_id
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;
CREATE TRIGGER account_identity_remember AFTER INSERT ON account_identity
  FOR EACH ROW WHEN (NEW.sso_connection_id IS NOT NULL)
  EXECUTE FUNCTION account_identity_remember();

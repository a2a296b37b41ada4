-- Gateways of the previous release do not end what an organization's identity providers may have left
-- in the account of a member (src/accounts, `createEndAccess`): the database does, if the row of
-- `sso_access` is still there when such a membership ends. The trigger can be dropped once none of
-- them is left.
CREATE FUNCTION membership_end_access() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  person uuid := OLD.account_id;
  began timestamptz := (SELECT since FROM sso_access
    WHERE account_id = OLD.account_id AND organization_id = OLD.organization_id);
BEGIN
  IF began IS NULL THEN
    RETURN NULL;
  END IF;
  UPDATE account SET sessions_ended = sessions_ended + 1, credentials_ended = credentials_ended
    + tstzmultirange(tstzrange(began, greatest(began, clock_timestamp()), '[]'))
  WHERE id = person;
  DELETE FROM sign_in_challenge WHERE account_id = person;
  UPDATE account_session SET revoked_at = now()
  WHERE account_id = person AND created_at >= began AND revoked_at IS NULL;
  DELETE FROM account_totp
  WHERE account_id = person AND coalesce(confirmed_at, started_at) >= began;
  DELETE FROM account_passkey WHERE account_id = person AND created_at >= began;
  DELETE FROM account_recovery_code WHERE account_id = person
    AND NOT EXISTS (SELECT FROM account_totp
      WHERE account_id = person AND confirmed_at IS NOT NULL)
    AND NOT EXISTS (SELECT FROM account_passkey WHERE account_id = person);
  DELETE FROM account_identity WHERE account_id = person AND created_at >= began;
  DELETE FROM sso_access WHERE account_id = person AND since >= began;
  RETURN NULL;
END
$$;

-- Deferred, so that a person can leave in a session that this ends.
CREATE CONSTRAINT TRIGGER membership_left AFTER UPDATE OF left_at ON membership
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.left_at IS NULL AND NEW.left_at IS NOT NULL)
  EXECUTE FUNCTION membership_end_access();
CREATE CONSTRAINT TRIGGER membership_removed AFTER DELETE ON membership
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.left_at IS NULL)
  EXECUTE FUNCTION membership_end_access();

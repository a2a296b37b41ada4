-- Keys and OAuth connections that an account made in these periods do not work, and are revoked in
-- the background.
ALTER TABLE account ADD COLUMN credentials_ended tstzmultirange NOT NULL DEFAULT '{}';

-- Accounts that may have such keys and connections that are not revoked yet: no sweep reads others.
CREATE TABLE ended_credentials (
  account_id uuid PRIMARY KEY REFERENCES account ON DELETE CASCADE,
  -- the end of the account's last period
  ended_at   timestamptz NOT NULL
);
CREATE INDEX ended_credentials_by_end ON ended_credentials (ended_at);

CREATE FUNCTION account_revoke_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ended_credentials (account_id, ended_at) VALUES (NEW.id, clock_timestamp())
  ON CONFLICT (account_id) DO UPDATE SET ended_at = excluded.ended_at;
  RETURN NULL;
END
$$;
CREATE TRIGGER account_revoke_ended AFTER UPDATE ON account
  FOR EACH ROW WHEN (NEW.credentials_ended <> OLD.credentials_ended)
  EXECUTE FUNCTION account_revoke_ended();

-- Gateways of the previous release write and read `credentials_valid_from` only. The column, its
-- index and this trigger can be dropped once none is left.
CREATE FUNCTION account_end_credentials() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.credentials_ended := NEW.credentials_ended
    + tstzmultirange(tstzrange(NULL, NEW.credentials_valid_from, '[]'));
  RETURN NEW;
END
$$;
CREATE TRIGGER account_end_credentials BEFORE UPDATE OF credentials_valid_from ON account
  FOR EACH ROW EXECUTE FUNCTION account_end_credentials();

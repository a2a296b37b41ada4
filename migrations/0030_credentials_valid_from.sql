-- Keys and OAuth connections that an account made until then do not work, and are revoked in the
-- background; null: all work.
ALTER TABLE account ADD COLUMN credentials_valid_from timestamptz;
CREATE INDEX account_with_ended_credentials ON account (id) WHERE credentials_valid_from IS NOT NULL;

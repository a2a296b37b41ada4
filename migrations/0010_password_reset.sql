-- The one live reset link of an address, as a hash: the next letter's replaces it.
CREATE TABLE password_reset (
  email      text PRIMARY KEY,
  token_hash bytea NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT password_reset_email_lower_case CHECK (email = lower(email)),
  CONSTRAINT password_reset_token_unique UNIQUE (token_hash)
);
CREATE INDEX password_reset_by_expiry ON password_reset (expires_at);

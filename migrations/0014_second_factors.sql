-- Second factors: sign-ins that are half done, TOTP seeds, recovery codes, passkeys.

-- A right password or a third-party sign-in that still waits for its second factor.
CREATE TABLE sign_in_challenge (
  token_hash    bytea PRIMARY KEY,
  account_id    uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  -- what the password was compared with; null: another proof than a password
  password_hash text,
  -- what was proved already
  amr           text[] NOT NULL,
  tries         int NOT NULL DEFAULT 0 CONSTRAINT sign_in_challenge_tries CHECK (tries <= 5),
  expires_at    timestamptz NOT NULL
);
CREATE INDEX sign_in_challenge_by_account ON sign_in_challenge (account_id);
CREATE INDEX sign_in_challenge_by_expiry ON sign_in_challenge (expires_at);

CREATE TABLE account_totp (
  account_id   uuid PRIMARY KEY REFERENCES account ON DELETE CASCADE,
  -- AES-256-GCM, bound to the account
  seed         bytea NOT NULL,
  started_at   timestamptz NOT NULL DEFAULT now(),
  -- null: shown, and not proved yet that an app holds it
  confirmed_at timestamptz,
  -- of the last code that was used: no code of this step or an earlier one counts
  last_step    bigint NOT NULL DEFAULT 0
);

-- A used one is gone.
CREATE TABLE account_recovery_code (
  account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  code_hash  bytea NOT NULL,
  PRIMARY KEY (account_id, code_hash)
);

CREATE TABLE account_passkey (
  id            uuid PRIMARY KEY,
  account_id    uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  -- base64url, as authenticators name it
  credential_id text NOT NULL,
  public_key    bytea NOT NULL,
  -- of signatures; 0: this authenticator does not count
  counter       bigint NOT NULL,
  transports    text[] NOT NULL,
  name          text NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  last_used_at  timestamptz,
  CONSTRAINT account_passkey_credential_unique UNIQUE (credential_id)
);
CREATE INDEX account_passkey_by_account ON account_passkey (account_id);

-- What an authenticator is asked to sign; taken once, whether or not the signature is right.
CREATE TABLE passkey_challenge (
  -- hash of what the ceremony belongs to: a session, or the token of a sign-in
  flow_hash  bytea PRIMARY KEY,
  challenge  text NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX passkey_challenge_by_expiry ON passkey_challenge (expires_at);

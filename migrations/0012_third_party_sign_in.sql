-- Third-party sign-in: flows under way, and which account a provider's person stands for.

CREATE TABLE account_identity (
  id           uuid PRIMARY KEY,
  account_id   uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  provider     text NOT NULL,
  -- together whom the provider means, whatever address or name it shows today
  issuer       text NOT NULL,
  subject      text NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz,
  CONSTRAINT account_identity_unique UNIQUE (issuer, subject)
);
CREATE INDEX account_identity_by_account ON account_identity (account_id);

-- From leaving for the provider to coming back; bound to one browser by its flow cookie.
CREATE TABLE sign_in_flow (
  id_hash     bytea PRIMARY KEY,
  provider    text NOT NULL,
  state_hash  bytea NOT NULL,
  nonce       text NOT NULL,
  -- of PKCE
  verifier    text NOT NULL,
  return_path text NOT NULL,
  -- the session that adds a way to sign in; null: a sign-in
  session_id  uuid REFERENCES account_session ON DELETE CASCADE,
  expires_at  timestamptz NOT NULL DEFAULT now() + interval '10 minutes',
  consumed_at timestamptz
);
CREATE INDEX sign_in_flow_by_expiry ON sign_in_flow (expires_at);
CREATE INDEX sign_in_flow_by_session ON sign_in_flow (session_id) WHERE session_id IS NOT NULL;

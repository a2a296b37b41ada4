-- Accounts: registration, sessions, passwords, sign-in, second factors, e-mail changes.

-- A row is a verified account; a person who has only registered is a row of `registration`.
CREATE TABLE account (
  id             uuid PRIMARY KEY,
  -- lower case; null: created by a third-party sign-in without a verified address
  email          text,
  first_name     text,
  last_name      text,
  -- language of every e-mail to this account
  locale         text NOT NULL DEFAULT 'en',
  -- PHC string; null: the account has no password
  password_hash  text,
  status         text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'deactivated')),
  plan           text NOT NULL DEFAULT 'free' CHECK (plan IN ('free', 'pro', 'enterprise')),
  -- number of times all sessions were ended; a sign-in fails if this changed while it was pending
  sessions_ended int NOT NULL DEFAULT 0,
  -- when an account without an address was asked for one; null: not yet
  email_asked_at timestamptz,
  verified_at    timestamptz NOT NULL DEFAULT now(),
  created_at     timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT account_email_unique UNIQUE (email),
  CONSTRAINT account_email_lower_case CHECK (email = lower(email))
);

-- ---- Registration

-- Each accepted registration is pending separately: a link activates exactly the row of its e-mail,
-- never a password that somebody else registered.
CREATE TABLE registration (
  id            uuid PRIMARY KEY,
  email         text NOT NULL,
  first_name    text,
  last_name     text,
  locale        text NOT NULL,
  password_hash text NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT registration_email_lower_case CHECK (email = lower(email))
);
CREATE INDEX registration_by_email ON registration (email, id);
CREATE INDEX registration_by_age ON registration (created_at);

-- Links of verification e-mails, as hashes.
CREATE TABLE registration_link (
  token_hash      bytea PRIMARY KEY,
  email           text NOT NULL,
  -- null: proves only the address and activates no password
  registration_id uuid REFERENCES registration ON DELETE CASCADE,
  -- null: not used yet
  account_id      uuid REFERENCES account ON DELETE CASCADE,
  expires_at      timestamptz NOT NULL
);
CREATE INDEX registration_link_by_email ON registration_link (email);
CREATE INDEX registration_link_by_registration ON registration_link (registration_id);
CREATE INDEX registration_link_by_account ON registration_link (account_id);
CREATE INDEX registration_link_by_expiry ON registration_link (expires_at);

-- Single-use proofs (CAPTCHA solutions), inserted in the transaction that uses them.
CREATE TABLE used_once (
  kind       text NOT NULL,
  hash       bytea NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (kind, hash)
);
CREATE INDEX used_once_by_expiry ON used_once (expires_at);

-- ---- Sessions

CREATE TABLE account_session (
  id           uuid PRIMARY KEY,
  account_id   uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  rotated_at   timestamptz NOT NULL DEFAULT now(),
  amr          text[] NOT NULL,
  -- when the person last authenticated
  auth_time    timestamptz NOT NULL DEFAULT now(),
  ip           text,
  user_agent   text,
  created_at   timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz NOT NULL,
  revoked_at   timestamptz,
  -- number of the current refresh token (docs/decisions/0015)
  rotation     bigint NOT NULL DEFAULT 0
);
CREATE INDEX account_session_live ON account_session (account_id) WHERE revoked_at IS NULL;
CREATE INDEX account_session_by_account ON account_session (account_id);
CREATE INDEX account_session_by_expiry ON account_session (expires_at);

-- ---- Passwords

-- The only valid reset link of an address, as a hash; the next e-mail replaces it.
CREATE TABLE password_reset (
  email      text PRIMARY KEY,
  token_hash bytea NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT password_reset_email_lower_case CHECK (email = lower(email)),
  CONSTRAINT password_reset_token_unique UNIQUE (token_hash)
);
CREATE INDEX password_reset_by_expiry ON password_reset (expires_at);

-- ---- Third-party sign-in

CREATE TABLE account_identity (
  id           uuid PRIMARY KEY,
  account_id   uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  provider     text NOT NULL,
  -- issuer and subject identify the person, whatever address or name the provider shows
  issuer       text NOT NULL,
  subject      text NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz,
  CONSTRAINT account_identity_unique UNIQUE (issuer, subject)
);
CREATE INDEX account_identity_by_account ON account_identity (account_id);

-- Removed identities: a matching address alone does not link them to that account again.
CREATE TABLE account_unlinked_identity (
  account_id  uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  issuer      text NOT NULL,
  subject     text NOT NULL,
  unlinked_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, issuer, subject)
);

-- A flow between the redirect to a provider and its callback; its cookie binds it to one browser.
CREATE TABLE sign_in_flow (
  id_hash     bytea PRIMARY KEY,
  provider    text NOT NULL,
  state_hash  bytea NOT NULL,
  nonce       text NOT NULL,
  -- PKCE code verifier
  verifier    text NOT NULL,
  return_path text NOT NULL,
  -- the session that links an identity; null: a sign-in
  session_id  uuid REFERENCES account_session ON DELETE CASCADE,
  expires_at  timestamptz NOT NULL DEFAULT now() + interval '10 minutes',
  consumed_at timestamptz
);
CREATE INDEX sign_in_flow_by_expiry ON sign_in_flow (expires_at);
CREATE INDEX sign_in_flow_by_session ON sign_in_flow (session_id) WHERE session_id IS NOT NULL;

-- ---- Second factors

-- A pending sign-in: password or third party verified, second factor still missing.
CREATE TABLE sign_in_challenge (
  token_hash bytea PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  -- methods verified so far
  amr        text[] NOT NULL,
  tries      int NOT NULL DEFAULT 0 CONSTRAINT sign_in_challenge_tries CHECK (tries <= 5),
  expires_at timestamptz NOT NULL
);
CREATE INDEX sign_in_challenge_by_account ON sign_in_challenge (account_id);
CREATE INDEX sign_in_challenge_by_expiry ON sign_in_challenge (expires_at);

CREATE TABLE account_totp (
  account_id   uuid PRIMARY KEY REFERENCES account ON DELETE CASCADE,
  -- AES-256-GCM, bound to the account
  seed         bytea NOT NULL,
  started_at   timestamptz NOT NULL DEFAULT now(),
  -- null: shown, but not yet confirmed by a code
  confirmed_at timestamptz,
  -- time step of the last accepted code; codes of this or an earlier step are rejected
  last_step    bigint NOT NULL DEFAULT 0
);

-- A used code is deleted.
CREATE TABLE account_recovery_code (
  account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  code_hash  bytea NOT NULL,
  PRIMARY KEY (account_id, code_hash)
);

CREATE TABLE account_passkey (
  id            uuid PRIMARY KEY,
  account_id    uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  -- base64url, as authenticators send it
  credential_id text NOT NULL,
  public_key    bytea NOT NULL,
  -- signature counter; 0: the authenticator does not count
  counter       bigint NOT NULL,
  transports    text[] NOT NULL,
  name          text NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  last_used_at  timestamptz,
  CONSTRAINT account_passkey_credential_unique UNIQUE (credential_id)
);
CREATE INDEX account_passkey_by_account ON account_passkey (account_id);

-- A WebAuthn challenge; consumed once, whether or not the signature verifies.
CREATE TABLE passkey_challenge (
  -- hash of the session, or of the token of the pending sign-in, that the ceremony belongs to
  flow_hash  bytea PRIMARY KEY,
  challenge  text NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX passkey_challenge_by_expiry ON passkey_challenge (expires_at);

-- ---- E-mail change

CREATE TABLE email_change (
  id         uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  -- the session of the request; no foreign key, because sessions are swept separately
  session_id uuid NOT NULL,
  email      text NOT NULL,
  -- SHA-256 of the link's token; null: its e-mail is not sent yet
  token_hash bytea CONSTRAINT email_change_token_unique UNIQUE,
  expires_at timestamptz NOT NULL DEFAULT now() + interval '48 hours',
  CONSTRAINT email_change_email_lower_case CHECK (email = lower(email))
);
CREATE INDEX email_change_by_account ON email_change (account_id);
CREATE INDEX email_change_by_expiry ON email_change (expires_at);

-- A former address stays reserved for a day, so that its holder can undo the change.
CREATE TABLE email_reservation (
  email           text PRIMARY KEY,
  account_id      uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  -- SHA-256 of the undo link's token; null: its e-mail is not sent yet
  token_hash      bytea CONSTRAINT email_reservation_token_unique UNIQUE,
  -- when the address was given up; undoing reverts later changes too
  given_up_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at      timestamptz NOT NULL DEFAULT now() + interval '24 hours',
  -- SHA-256 of the password hash when the address was given up; null: there was no password
  password_digest bytea,
  CONSTRAINT email_reservation_email_lower_case CHECK (email = lower(email))
);
CREATE INDEX email_reservation_by_account ON email_reservation (account_id);
CREATE INDEX email_reservation_by_expiry ON email_reservation (expires_at);

-- Every claim of an address passes here: claims of one address wait for each other, and a row with
-- an address reserved for another account is skipped, as if the address were in use.
CREATE FUNCTION account_claim_email() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  claimed text;
BEGIN
  -- Locks the old address too, so that a claim waiting for it sees it reserved.
  FOR claimed IN
    SELECT DISTINCT email FROM unnest(ARRAY[OLD.email, NEW.email]) AS email
    WHERE email IS NOT NULL ORDER BY email
  LOOP
    PERFORM pg_advisory_xact_lock(hashtextextended('email:' || claimed, 0));
  END LOOP;
  IF EXISTS (
    SELECT FROM email_reservation
    WHERE email = NEW.email AND account_id <> NEW.id AND expires_at > now()
  ) THEN
    RETURN NULL;
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER account_claim_email BEFORE INSERT OR UPDATE OF email ON account
  FOR EACH ROW EXECUTE FUNCTION account_claim_email();

-- People: verified accounts, registrations waiting for their click, sessions, spent proofs, audit.

-- A row is a verified account; whoever has only registered is a row of `registration`.
CREATE TABLE account (
  id            uuid PRIMARY KEY,
  -- lower case; null: made by a third-party sign-in that vouched for no address
  email         text,
  first_name    text,
  last_name     text,
  -- language of every letter to this account
  locale        text NOT NULL DEFAULT 'en',
  -- PHC string; null: signs in elsewhere
  password_hash text,
  status        text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'deactivated')),
  plan          text NOT NULL DEFAULT 'free' CHECK (plan IN ('free', 'pro', 'enterprise')),
  verified_at   timestamptz NOT NULL DEFAULT now(),
  created_at    timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT account_email_unique UNIQUE (email),
  CONSTRAINT account_email_lower_case CHECK (email = lower(email))
);

-- Each accepted registration waits on its own: a click activates exactly the row of its letter,
-- so that nobody's click activates another's password.
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

-- Links of verification letters, as hashes.
CREATE TABLE registration_link (
  token_hash      bytea PRIMARY KEY,
  email           text NOT NULL,
  -- null: proves the address alone and activates nobody's password
  registration_id uuid REFERENCES registration ON DELETE CASCADE,
  -- null: not used yet
  account_id      uuid REFERENCES account ON DELETE CASCADE,
  expires_at      timestamptz NOT NULL
);
CREATE INDEX registration_link_by_email ON registration_link (email);
CREATE INDEX registration_link_by_registration ON registration_link (registration_id);
CREATE INDEX registration_link_by_account ON registration_link (account_id);
CREATE INDEX registration_link_by_expiry ON registration_link (expires_at);

CREATE TABLE account_session (
  id           uuid PRIMARY KEY,
  account_id   uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  refresh_hash bytea NOT NULL,
  rotated_at   timestamptz NOT NULL DEFAULT now(),
  amr          text[] NOT NULL,
  -- when presence was last proved
  auth_time    timestamptz NOT NULL DEFAULT now(),
  ip           text,
  user_agent   text,
  created_at   timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz NOT NULL,
  revoked_at   timestamptz
);
CREATE INDEX account_session_live ON account_session (account_id) WHERE revoked_at IS NULL;
CREATE INDEX account_session_by_expiry ON account_session (expires_at);

-- Ancestors of the current refresh token; kept until the session expires, to know a replay.
CREATE TABLE account_session_ancestor (
  session_id   uuid NOT NULL REFERENCES account_session ON DELETE CASCADE,
  refresh_hash bytea NOT NULL,
  PRIMARY KEY (session_id, refresh_hash)
);

-- Proofs that count once (captcha solutions): the row is inserted by the transaction it pays for.
CREATE TABLE used_once (
  kind       text NOT NULL,
  hash       bytea NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (kind, hash)
);
CREATE INDEX used_once_by_expiry ON used_once (expires_at);

-- Who changed what. Nothing in it refers to a row elsewhere: it outlives what it tells of.
CREATE TABLE audit_event (
  id         uuid PRIMARY KEY,
  at         timestamptz NOT NULL DEFAULT now(),
  actor_kind text NOT NULL CHECK (actor_kind IN ('user', 'api_key', 'system')),
  actor_id   uuid,
  request_id text,
  address    text,
  action     text NOT NULL,
  -- whose history it is part of; null: nobody's (a sign-in with an unknown address)
  scope_kind text,
  scope_id   uuid,
  units      jsonb NOT NULL DEFAULT '[]',
  detail     jsonb
);
CREATE INDEX audit_event_by_scope ON audit_event (scope_kind, scope_id, id);

CREATE FUNCTION refuse_audit_edit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit_event is append-only';
END $$;
CREATE TRIGGER audit_event_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_edit();

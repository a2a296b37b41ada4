-- OAuth to upstream MCP servers: how each one is authorized, the accounts that were connected to it,
-- and authorizations that are in progress. The foreign keys follow one table at a time.

CREATE TABLE IF NOT EXISTS upstream_oauth (
  upstream_id   uuid PRIMARY KEY,
  -- shared: one account for the space; each_person: each person connects an account of their own
  connection    text NOT NULL CHECK (connection IN ('shared', 'each_person')),
  -- to request; empty: those that the server names
  scopes        text[] NOT NULL,
  client_id     text,
  -- whether the operator of the authorization server gave us the client, or we registered it
  client_source text CHECK (client_source IN ('given', 'registered')),
  -- AES-256-GCM, bound to the upstream and the client
  client_secret bytea,
  -- the approved authorization server; null before the first connection
  issuer        text,
  CONSTRAINT upstream_oauth_client CHECK (
    (client_id IS NULL) = (client_source IS NULL) AND (client_id IS NOT NULL OR client_secret IS NULL))
);

CREATE TABLE IF NOT EXISTS upstream_authorization (
  id               uuid PRIMARY KEY,
  upstream_id      uuid NOT NULL,
  -- whose calls use it: an account, or the upstream itself for the one that its space shares
  holder_id        uuid NOT NULL,
  account_id       uuid GENERATED ALWAYS AS (nullif(holder_id, upstream_id)) STORED,
  -- the membership, and for a team's upstream the team, with which a person's own one ends
  membership_id    uuid,
  team_id          uuid,
  connected_by     uuid NOT NULL,
  connected_at     timestamptz NOT NULL DEFAULT now(),
  refreshed_at     timestamptz NOT NULL DEFAULT now(),
  -- the address that the tokens are for: they are never sent to another one
  url              text NOT NULL,
  -- what the authorization server said of itself when it issued them
  server           jsonb NOT NULL,
  -- name of the account at the upstream, if the authorization server says it
  account          text,
  scopes           text[] NOT NULL,
  -- tokens and client as JSON; AES-256-GCM, bound to upstream, holder and address; null: ended
  sealed           bytea,
  expires_at       timestamptz,
  -- incremented by each refresh
  generation       int NOT NULL DEFAULT 1,
  -- the refresh in progress, and until when others wait for it
  refresh_id       uuid,
  refreshing_until timestamptz,
  CONSTRAINT upstream_authorization_unique UNIQUE (upstream_id, holder_id)
);
CREATE INDEX IF NOT EXISTS upstream_authorization_of_account ON upstream_authorization (account_id);
CREATE INDEX IF NOT EXISTS upstream_authorization_of_membership
  ON upstream_authorization (membership_id) WHERE membership_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS upstream_authorization_of_seat
  ON upstream_authorization (team_id, membership_id) WHERE team_id IS NOT NULL;

CREATE TABLE IF NOT EXISTS upstream_oauth_flow (
  id          uuid PRIMARY KEY,
  -- SHA-256
  state_hash  bytea NOT NULL CONSTRAINT upstream_oauth_flow_state UNIQUE,
  upstream_id uuid NOT NULL,
  account_id  uuid NOT NULL,
  -- only this session completes it
  session_id  uuid NOT NULL,
  url         text NOT NULL,
  resource    text NOT NULL,
  server      jsonb NOT NULL,
  scopes      text[] NOT NULL,
  -- verifier and client as JSON; AES-256-GCM, bound to the row
  sealed      bytea NOT NULL,
  expires_at  timestamptz NOT NULL DEFAULT now() + interval '10 minutes'
);
CREATE INDEX IF NOT EXISTS upstream_oauth_flow_of_upstream ON upstream_oauth_flow (upstream_id);
CREATE INDEX IF NOT EXISTS upstream_oauth_flow_of_account ON upstream_oauth_flow (account_id);
CREATE INDEX IF NOT EXISTS upstream_oauth_flow_expiry ON upstream_oauth_flow (expires_at);
COMMIT; BEGIN;

ALTER TABLE upstream_oauth
  DROP CONSTRAINT IF EXISTS upstream_oauth_upstream,
  ADD CONSTRAINT upstream_oauth_upstream FOREIGN KEY (upstream_id)
    REFERENCES upstream ON DELETE CASCADE NOT VALID;
ALTER TABLE upstream_authorization
  DROP CONSTRAINT IF EXISTS upstream_authorization_upstream,
  ADD CONSTRAINT upstream_authorization_upstream FOREIGN KEY (upstream_id)
    REFERENCES upstream ON DELETE CASCADE NOT VALID;
ALTER TABLE upstream_oauth_flow
  DROP CONSTRAINT IF EXISTS upstream_oauth_flow_upstream,
  ADD CONSTRAINT upstream_oauth_flow_upstream FOREIGN KEY (upstream_id)
    REFERENCES upstream ON DELETE CASCADE NOT VALID;
COMMIT; BEGIN;

ALTER TABLE upstream_authorization
  DROP CONSTRAINT IF EXISTS upstream_authorization_account,
  ADD CONSTRAINT upstream_authorization_account FOREIGN KEY (account_id)
    REFERENCES account ON DELETE CASCADE NOT VALID;
ALTER TABLE upstream_oauth_flow
  DROP CONSTRAINT IF EXISTS upstream_oauth_flow_account,
  ADD CONSTRAINT upstream_oauth_flow_account FOREIGN KEY (account_id)
    REFERENCES account ON DELETE CASCADE NOT VALID;
COMMIT; BEGIN;

ALTER TABLE upstream_authorization
  DROP CONSTRAINT IF EXISTS upstream_authorization_seat,
  ADD CONSTRAINT upstream_authorization_seat FOREIGN KEY (team_id, membership_id)
    REFERENCES team_member (team_id, membership_id) ON DELETE CASCADE NOT VALID;
COMMIT; BEGIN;

ALTER TABLE upstream_oauth VALIDATE CONSTRAINT upstream_oauth_upstream;
ALTER TABLE upstream_authorization VALIDATE CONSTRAINT upstream_authorization_upstream,
  VALIDATE CONSTRAINT upstream_authorization_account,
  VALIDATE CONSTRAINT upstream_authorization_seat;
ALTER TABLE upstream_oauth_flow VALIDATE CONSTRAINT upstream_oauth_flow_upstream,
  VALIDATE CONSTRAINT upstream_oauth_flow_account;
COMMIT; BEGIN;

-- The row of a membership stays when the person leaves; what the person connected does not.
CREATE OR REPLACE FUNCTION membership_end_authorizations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM upstream_authorization WHERE membership_id = NEW.id;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER membership_authorizations AFTER UPDATE OF left_at ON membership
  FOR EACH ROW WHEN (NEW.left_at IS NOT NULL)
  EXECUTE FUNCTION membership_end_authorizations();

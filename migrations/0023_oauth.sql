-- OAuth clients, the connections that they were authorized for, and the artifacts of the
-- authorization server.

CREATE TABLE oauth_client (
  -- the client_id
  id               uuid PRIMARY KEY,
  -- The person or the organization that registered the client.
  account_id       uuid REFERENCES account (id) ON DELETE CASCADE,
  organization_id  uuid REFERENCES organization ON DELETE CASCADE,
  name             text NOT NULL CHECK (name IS NFC NORMALIZED),
  type             text NOT NULL CHECK (type IN ('confidential', 'public')),
  grant_types      text[] NOT NULL,
  redirect_uris    text[] NOT NULL,
  -- Exact names, with the read permissions they imply; a connection has a subset of them.
  allowed_scopes   text[] NOT NULL,
  -- In an organization: whether its connections are active in all teams of their person or, for its
  -- machine connection, of the organization; otherwise only in those of `oauth_client_team`.
  follows_teams    boolean NOT NULL DEFAULT false,
  -- The agent definition of its machine connection (K2). No foreign key, as for keys (K3).
  default_agent_id uuid,
  created_by       uuid REFERENCES account ON DELETE SET NULL,
  created_at       timestamptz NOT NULL DEFAULT now(),
  disabled_at      timestamptz,
  CONSTRAINT oauth_client_one_owner CHECK (num_nonnulls(account_id, organization_id) = 1),
  CONSTRAINT oauth_client_in_organization UNIQUE (id, organization_id)
);
CREATE INDEX oauth_client_of_account ON oauth_client (account_id, id);
CREATE INDEX oauth_client_of_organization ON oauth_client (organization_id, id);
CREATE INDEX oauth_client_created_by ON oauth_client (created_by) WHERE created_by IS NOT NULL;

-- The teams that a client is bound to.
CREATE TABLE oauth_client_team (
  client_id       uuid NOT NULL,
  organization_id uuid NOT NULL,
  team_id         uuid NOT NULL,
  PRIMARY KEY (client_id, team_id),
  FOREIGN KEY (client_id, organization_id) REFERENCES oauth_client (id, organization_id)
    ON DELETE CASCADE,
  FOREIGN KEY (organization_id, team_id) REFERENCES team (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX oauth_client_team_by_team ON oauth_client_team (organization_id, team_id);

-- A confidential client has one secret, or two while it replaces one.
CREATE TABLE oauth_client_secret (
  id            uuid PRIMARY KEY,
  client_id     uuid NOT NULL REFERENCES oauth_client ON DELETE CASCADE,
  -- SHA-256 of the secret, which has 256 random bits, so that a slow hash is not needed.
  secret_hash   bytea NOT NULL CONSTRAINT oauth_client_secret_unique UNIQUE,
  secret_prefix text NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  last_used_at  timestamptz
);
CREATE INDEX oauth_client_secret_of_client ON oauth_client_secret (client_id);

-- One authorization of a client by a person (delegated), or the client itself in its organization
-- (machine). Its id is the id of the grant in `oauth_artifact`, and `cid` in access tokens.
CREATE TABLE oauth_connection (
  id               uuid PRIMARY KEY,
  kind             text NOT NULL CHECK (kind IN ('delegated', 'machine')),
  -- Null once the client was deleted, together with its account or organization: the connection then
  -- no longer works, and is revoked in the background.
  client_id        uuid REFERENCES oauth_client ON DELETE SET NULL,
  -- The person who authorized it; null: it acts for no person.
  account_id       uuid REFERENCES account (id) ON DELETE CASCADE,
  -- The organization that it works in; null: in the person's own account. No foreign key, as for
  -- keys: a person's connection to a deleted organization still exists (A6).
  organization_id  uuid,
  -- Exact names, with the read permissions they imply.
  scopes           text[] NOT NULL,
  follows_teams    boolean NOT NULL DEFAULT false,
  -- Whether it has the authority its client was registered with (SC4), not its person's.
  has_own_authority boolean NOT NULL DEFAULT false,
  default_agent_id uuid,
  created_at       timestamptz NOT NULL DEFAULT now(),
  -- When its first token was issued; a connection without one is deleted after ten minutes.
  activated_at     timestamptz,
  last_used_at     timestamptz,
  revoked_at       timestamptz,
  CONSTRAINT oauth_connection_acts_for CHECK (
    CASE kind WHEN 'machine' THEN account_id IS NULL AND organization_id IS NOT NULL
      ELSE account_id IS NOT NULL END),
  CONSTRAINT oauth_connection_in_organization UNIQUE (id, organization_id)
);
CREATE UNIQUE INDEX oauth_connection_one_machine ON oauth_connection (client_id)
  WHERE kind = 'machine' AND revoked_at IS NULL;
CREATE INDEX oauth_connection_of_client ON oauth_connection (client_id, id);
CREATE INDEX oauth_connection_of_account ON oauth_connection (account_id, id);
CREATE INDEX oauth_connection_of_organization ON oauth_connection (organization_id, id);
CREATE INDEX oauth_connection_inactive ON oauth_connection (created_at)
  WHERE activated_at IS NULL;
CREATE INDEX oauth_connection_revoked ON oauth_connection (revoked_at)
  WHERE revoked_at IS NOT NULL;

-- The teams that a connection is bound to.
CREATE TABLE oauth_connection_team (
  connection_id   uuid NOT NULL,
  organization_id uuid NOT NULL,
  team_id         uuid NOT NULL,
  PRIMARY KEY (connection_id, team_id),
  FOREIGN KEY (connection_id, organization_id) REFERENCES oauth_connection (id, organization_id)
    ON DELETE CASCADE,
  FOREIGN KEY (organization_id, team_id) REFERENCES team (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX oauth_connection_team_by_team ON oauth_connection_team (organization_id, team_id);

-- What the authorization server stores: interactions, grants, codes and refresh tokens, each found
-- by the hash of its id.
CREATE TABLE oauth_artifact (
  model         text NOT NULL,
  id_hash       bytea NOT NULL,
  -- Without the id.
  payload       jsonb NOT NULL,
  connection_id uuid REFERENCES oauth_connection ON DELETE CASCADE,
  -- Of an interaction.
  uid           text,
  consumed_at   timestamptz,
  expires_at    timestamptz NOT NULL,
  PRIMARY KEY (model, id_hash)
);
CREATE INDEX oauth_artifact_of_connection ON oauth_artifact (connection_id)
  WHERE connection_id IS NOT NULL;
CREATE INDEX oauth_artifact_expires ON oauth_artifact (expires_at);

-- Keys that sign access tokens. The newest that may sign does; a retired key is deleted when the
-- last token it signed has expired.
CREATE TABLE oauth_signing_key (
  id         uuid PRIMARY KEY,
  -- The private key as a JWK, encrypted.
  key        bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  signs_from timestamptz NOT NULL,
  retired_at timestamptz
);

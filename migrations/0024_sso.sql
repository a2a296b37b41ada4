-- Single sign-on of organizations: connections to their identity providers, and the e-mail domains
-- that they verified.

CREATE TABLE sso_settings (
  organization_id uuid PRIMARY KEY REFERENCES organization ON DELETE CASCADE,
  -- Whether members with an address in a verified domain, except the Owner, must sign in through SSO.
  enforced        boolean NOT NULL DEFAULT false
);

CREATE TABLE sso_connection (
  id              uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organization ON DELETE CASCADE,
  name            text NOT NULL CHECK (name IS NFC NORMALIZED),
  protocol        text NOT NULL CHECK (protocol IN ('oidc', 'saml')),
  -- Without the secret.
  configuration   jsonb NOT NULL,
  -- The OpenID Connect client secret, encrypted.
  secret          bytea,
  -- Names of the claims or attributes to read; null for the usual ones.
  attributes      jsonb NOT NULL,
  -- What people who join through it are given. No foreign keys: a role is kept from deletion by the
  -- deletion itself, and seats in deleted teams are skipped.
  role_ids        uuid[] NOT NULL,
  -- [{"team_id": …, "role_ids": […]}]
  seats           jsonb NOT NULL,
  -- Who last set how people are identified, and whether that person had all permissions of an Admin:
  -- only then may the connection sign in to existing accounts.
  configured_by   uuid REFERENCES account ON DELETE SET NULL,
  may_link        boolean NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT sso_connection_secret CHECK ((protocol = 'oidc') = (secret IS NOT NULL))
);
CREATE INDEX sso_connection_of_organization ON sso_connection (organization_id, id);
CREATE INDEX sso_connection_configured_by ON sso_connection (configured_by)
  WHERE configured_by IS NOT NULL;

-- An identity that a connection asserted ends with it.
ALTER TABLE account_identity
  ADD COLUMN sso_connection_id uuid GENERATED ALWAYS AS (
    CASE WHEN provider = 'sso' THEN substr(issuer, 5)::uuid END) STORED
    REFERENCES sso_connection ON DELETE CASCADE;
CREATE INDEX account_identity_by_sso_connection ON account_identity (sso_connection_id)
  WHERE sso_connection_id IS NOT NULL;

-- The last sign-in with which a person tested a connection as it is configured now.
CREATE TABLE sso_test (
  connection_id uuid NOT NULL REFERENCES sso_connection ON DELETE CASCADE,
  account_id    uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  succeeded_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (connection_id, account_id)
);
CREATE INDEX sso_test_of_account ON sso_test (account_id);

-- A domain that an organization claims; it is verified once `verified_at` is set.
CREATE TABLE sso_domain (
  organization_id uuid NOT NULL REFERENCES organization ON DELETE CASCADE,
  -- lower case, ASCII
  domain          text NOT NULL CHECK (domain = lower(domain)),
  -- The value that the TXT record must have.
  txt_value       text NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  verified_at     timestamptz,
  PRIMARY KEY (organization_id, domain)
);
CREATE UNIQUE INDEX sso_domain_proved_once ON sso_domain (domain) WHERE verified_at IS NOT NULL;

-- A sign-in between the redirect to the provider and its end; a cookie binds it to one browser.
CREATE TABLE sso_flow (
  -- SHA-256 of the cookie.
  id_hash           bytea PRIMARY KEY,
  connection_id     uuid NOT NULL REFERENCES sso_connection ON DELETE CASCADE,
  state_hash        bytea NOT NULL CONSTRAINT sso_flow_state_unique UNIQUE,
  nonce             text NOT NULL,
  verifier          text NOT NULL,
  request_id        text NOT NULL,
  return_path       text NOT NULL,
  -- Who tests the connection; null: a sign-in.
  tested_by         uuid REFERENCES account ON DELETE CASCADE,
  -- The person of a verified response that arrived without the cookie, until the browser comes back
  -- with the handle.
  person            jsonb,
  handle_hash       bytea,
  handle_expires_at timestamptz,
  expires_at        timestamptz NOT NULL DEFAULT now() + interval '10 minutes',
  consumed_at       timestamptz
);
CREATE INDEX sso_flow_by_connection ON sso_flow (connection_id);
CREATE INDEX sso_flow_by_tester ON sso_flow (tested_by) WHERE tested_by IS NOT NULL;
CREATE INDEX sso_flow_by_expiry ON sso_flow (expires_at);

-- A link to test a connection, for the person who asked for it.
CREATE TABLE sso_test_link (
  token_hash    bytea PRIMARY KEY,
  connection_id uuid NOT NULL REFERENCES sso_connection ON DELETE CASCADE,
  account_id    uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  return_path   text NOT NULL,
  expires_at    timestamptz NOT NULL DEFAULT now() + interval '10 minutes'
);
CREATE INDEX sso_test_link_of_connection ON sso_test_link (connection_id);
CREATE INDEX sso_test_link_of_account ON sso_test_link (account_id);
CREATE INDEX sso_test_link_by_expiry ON sso_test_link (expires_at);

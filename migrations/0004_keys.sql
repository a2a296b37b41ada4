-- API keys.

CREATE TABLE api_key (
  id               uuid PRIMARY KEY,
  account_id       uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  name             text NOT NULL CHECK (name IS NFC NORMALIZED),
  -- SHA-256 of the secret, which cannot be recovered from it. With 122 random bits, a slow hash is
  -- not needed.
  secret_hash      bytea NOT NULL CONSTRAINT api_key_secret_unique UNIQUE,
  secret_prefix    text NOT NULL,
  grants           jsonb NOT NULL,
  mcp_capabilities text[] NOT NULL,
  tool_policy      jsonb NOT NULL,
  resource_policy  jsonb NOT NULL,
  prompt_policy    jsonb NOT NULL,
  agent_policy     jsonb NOT NULL,
  -- The agent definition a primary task starts with (K2). No foreign key: if the definition is
  -- deleted, the assignment remains, but is unavailable until it is changed or cleared (K3).
  default_agent_id uuid,
  expires_at       timestamptz,
  last_used_at     timestamptz,
  revoked_at       timestamptz,
  created_at       timestamptz NOT NULL DEFAULT now()
);

-- Prevents duplicate names in races; also serves queries over an account's active keys.
CREATE UNIQUE INDEX api_key_active_name_unique ON api_key (account_id, name)
  WHERE revoked_at IS NULL;
CREATE INDEX api_key_of_account ON api_key (account_id, id);

-- API keys of an account and the built-in tools it selected.

CREATE TABLE api_key (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  name text NOT NULL CHECK (name IS NFC NORMALIZED),
  -- SHA-256 of the secret: 122 random bits need no slow hash, and nothing gives the secret back.
  secret_hash bytea NOT NULL CONSTRAINT api_key_secret_unique UNIQUE,
  secret_prefix text NOT NULL,
  grants jsonb NOT NULL,
  mcp_capabilities text[] NOT NULL,
  tool_policy jsonb NOT NULL,
  resource_policy jsonb NOT NULL,
  prompt_policy jsonb NOT NULL,
  agent_policy jsonb NOT NULL,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- Settles races of the name, and serves the list of an account's keys.
CREATE UNIQUE INDEX api_key_active_name_unique ON api_key (account_id, name)
  WHERE revoked_at IS NULL;
CREATE INDEX api_key_of_account ON api_key (account_id, id);

-- No row: not selected (S8). Ids are those of the catalogue in the code.
CREATE TABLE tool_selection (
  account_id uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  tool_id uuid NOT NULL,
  PRIMARY KEY (account_id, tool_id)
);

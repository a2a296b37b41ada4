-- MCP servers elsewhere, whose tools an account may offer its agents as its own.

CREATE TABLE upstream (
  id           uuid PRIMARY KEY,
  account_id   uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  name         text NOT NULL,
  url          text NOT NULL,
  header_names text[] NOT NULL,
  -- AES-256-GCM of a JSON object by name, bound to account and upstream
  headers      bytea NOT NULL,
  -- raised by each change, so that no connection made before it is used after it
  version      int NOT NULL DEFAULT 1,
  created_at   timestamptz NOT NULL DEFAULT now(),
  updated_at   timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT upstream_name_unique UNIQUE (account_id, name)
);

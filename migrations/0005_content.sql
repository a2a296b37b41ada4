-- What agents get: selected built-in items, custom tools, prompts, resources, agent definitions.

-- No row: not selected (S8). Ids are those of the catalog in the code.
CREATE TABLE tool_selection (
  account_id uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  tool_id    uuid NOT NULL,
  PRIMARY KEY (account_id, tool_id)
);

-- No row: not selected (P6). Ids are those of the catalog in the code.
CREATE TABLE prompt_selection (
  account_id uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  prompt_id  uuid NOT NULL,
  PRIMARY KEY (account_id, prompt_id)
);

CREATE TABLE item (
  id         uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  family     text NOT NULL CHECK (family IN ('tool', 'prompt', 'resource', 'agent')),
  -- of a resource its path
  name       text NOT NULL CHECK (name IS NFC NORMALIZED),
  -- the active version, which is the newest
  version    int NOT NULL,
  -- what lists show of the active version; all of it is in item_version
  head       jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT item_name_unique UNIQUE (account_id, family, name)
);
CREATE INDEX item_of_account ON item (account_id, family, id);

-- A version never changes. The oldest are deleted when there are more than a hundred, or when they
-- weigh more than the limit of one item's history.
CREATE TABLE item_version (
  item_id    uuid NOT NULL REFERENCES item ON DELETE CASCADE,
  version    int NOT NULL,
  account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  name       text NOT NULL,
  content    jsonb NOT NULL,
  -- size of the content as JSON
  bytes      int NOT NULL GENERATED ALWAYS AS (octet_length(content::text)) STORED,
  -- the person or credential that wrote it
  actor_kind text NOT NULL,
  actor_id   uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (item_id, version)
);
CREATE INDEX item_version_of_account ON item_version (account_id);

-- Secrets of custom tools, encrypted for the account, the item, the name and the permitted origin.
CREATE TABLE tool_secret (
  item_id    uuid NOT NULL REFERENCES item ON DELETE CASCADE,
  name       text NOT NULL,
  account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  -- scheme, host and port of the tool's URL when the secret was set
  origin     text NOT NULL,
  sealed     bytea NOT NULL,
  PRIMARY KEY (item_id, name)
);
CREATE INDEX tool_secret_of_account ON tool_secret (account_id);

-- MCP servers elsewhere, whose tools can be offered to agents as custom tools.
CREATE TABLE upstream (
  id           uuid PRIMARY KEY,
  account_id   uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  name         text NOT NULL,
  url          text NOT NULL,
  header_names text[] NOT NULL,
  -- AES-256-GCM of a JSON object by name, bound to account and upstream
  headers      bytea NOT NULL,
  -- raised by each change, so that connections opened before it are not used after it
  version      int NOT NULL DEFAULT 1,
  created_at   timestamptz NOT NULL DEFAULT now(),
  updated_at   timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT upstream_name_unique UNIQUE (account_id, name)
);

-- The upstream's description of a custom tool of kind `mcp` when a person last approved it.
CREATE TABLE pinned_tool (
  item_id     uuid PRIMARY KEY REFERENCES item ON DELETE CASCADE,
  account_id  uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  upstream_id uuid NOT NULL REFERENCES upstream,
  tool        text NOT NULL,
  pin         text NOT NULL,
  -- a changed description that waits for approval, and since when; else null
  found       jsonb,
  held_at     timestamptz,
  CHECK ((found IS NULL) = (held_at IS NULL))
);
CREATE INDEX pinned_tool_of_upstream ON pinned_tool (upstream_id);
CREATE INDEX pinned_tool_of_account ON pinned_tool (account_id);

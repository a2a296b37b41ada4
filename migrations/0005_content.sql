-- Content for agents: selected built-in items, custom tools, prompts, resources, agent definitions.

-- Everything people write or select belongs to one space.
CREATE TABLE space (
  -- id of the account, membership, team or organization it belongs to
  id              uuid PRIMARY KEY,
  kind            text NOT NULL CHECK (kind IN ('personal', 'member', 'team', 'organization')),
  account_id      uuid REFERENCES account ON DELETE CASCADE,
  organization_id uuid,
  team_id         uuid,
  -- account or organization whose plan limits its content
  quota_owner_id  uuid NOT NULL GENERATED ALWAYS AS (coalesce(organization_id, account_id)) STORED,
  created_at      timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT space_of_account CHECK ((account_id IS NOT NULL) = (kind IN ('personal', 'member'))),
  CONSTRAINT space_of_organization CHECK ((organization_id IS NOT NULL) = (kind <> 'personal')),
  CONSTRAINT space_of_team CHECK ((team_id IS NOT NULL) = (kind = 'team')),
  CONSTRAINT space_has_its_owners_id CHECK (CASE kind
    WHEN 'personal' THEN id = account_id
    WHEN 'team' THEN id = team_id
    WHEN 'organization' THEN id = organization_id
    ELSE true END),
  CONSTRAINT space_of_member_unique UNIQUE (account_id, organization_id)
);
CREATE INDEX space_by_quota_owner ON space (quota_owner_id);

-- No row: not selected (S8). Ids are those of the catalog in the code.
CREATE TABLE tool_selection (
  space_id   uuid NOT NULL REFERENCES space ON DELETE CASCADE,
  tool_id    uuid NOT NULL,
  PRIMARY KEY (space_id, tool_id)
);

-- No row: not selected (P6). Ids are those of the catalog in the code.
CREATE TABLE prompt_selection (
  space_id   uuid NOT NULL REFERENCES space ON DELETE CASCADE,
  prompt_id  uuid NOT NULL,
  PRIMARY KEY (space_id, prompt_id)
);

CREATE TABLE item (
  id         uuid PRIMARY KEY,
  space_id   uuid NOT NULL REFERENCES space ON DELETE CASCADE,
  family     text NOT NULL CHECK (family IN ('tool', 'prompt', 'resource', 'agent')),
  -- for a resource, its path
  name       text NOT NULL CHECK (name IS NFC NORMALIZED),
  -- the active version, which is the newest
  version    int NOT NULL,
  -- fields of the active version that lists show; its whole content is in item_version
  head       jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT item_name_unique UNIQUE (space_id, family, name)
);
CREATE INDEX item_of_space ON item (space_id, family, id);

-- A version never changes. The oldest are deleted when an item has more than a hundred, or when
-- they exceed the size limit of one item's history.
CREATE TABLE item_version (
  item_id    uuid NOT NULL REFERENCES item ON DELETE CASCADE,
  version    int NOT NULL,
  space_id   uuid NOT NULL REFERENCES space ON DELETE CASCADE,
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
CREATE INDEX item_version_of_space ON item_version (space_id);

-- Secrets of custom tools; the encryption binds each to its space, item, name and permitted origin.
CREATE TABLE tool_secret (
  item_id    uuid NOT NULL REFERENCES item ON DELETE CASCADE,
  name       text NOT NULL,
  space_id   uuid NOT NULL REFERENCES space ON DELETE CASCADE,
  -- scheme, host and port of the tool's URL when the secret was set
  origin     text NOT NULL,
  sealed     bytea NOT NULL,
  PRIMARY KEY (item_id, name)
);
CREATE INDEX tool_secret_of_space ON tool_secret (space_id);

-- External MCP servers, whose tools can be offered to agents as custom tools.
CREATE TABLE upstream (
  id           uuid PRIMARY KEY,
  space_id     uuid NOT NULL REFERENCES space ON DELETE CASCADE,
  name         text NOT NULL,
  url          text NOT NULL,
  header_names text[] NOT NULL,
  -- header values by name as JSON; AES-256-GCM, bound to space and upstream
  headers      bytea NOT NULL,
  -- incremented by each change, so that connections opened before it are not used after it
  version      int NOT NULL DEFAULT 1,
  created_at   timestamptz NOT NULL DEFAULT now(),
  updated_at   timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT upstream_name_unique UNIQUE (space_id, name)
);

-- The upstream's description of a custom tool of kind `mcp` when a person last approved it.
CREATE TABLE pinned_tool (
  item_id     uuid PRIMARY KEY REFERENCES item ON DELETE CASCADE,
  space_id    uuid NOT NULL REFERENCES space ON DELETE CASCADE,
  upstream_id uuid NOT NULL REFERENCES upstream,
  tool        text NOT NULL,
  pin         text NOT NULL,
  -- a changed description that waits for approval, and since when; null: not quarantined
  found       jsonb,
  held_at     timestamptz,
  CHECK ((found IS NULL) = (held_at IS NULL))
);
CREATE INDEX pinned_tool_of_upstream ON pinned_tool (upstream_id);
CREATE INDEX pinned_tool_of_space ON pinned_tool (space_id);

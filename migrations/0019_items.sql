-- What people write for their agents: custom tools, prompts, resources, agent definitions.

CREATE TABLE item (
  id         uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  family     text NOT NULL CHECK (family IN ('tool', 'prompt', 'resource', 'agent')),
  -- of a resource its path
  name       text NOT NULL CHECK (name IS NFC NORMALIZED),
  -- the active one, which is the newest
  version    int NOT NULL,
  -- what lists show of the active version; the whole of it is in item_version
  head       jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT item_name_unique UNIQUE (account_id, family, name)
);
CREATE INDEX item_of_account ON item (account_id, family, id);

-- A version never changes; the oldest go when there are more than a hundred.
CREATE TABLE item_version (
  item_id    uuid NOT NULL REFERENCES item ON DELETE CASCADE,
  version    int NOT NULL,
  account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  name       text NOT NULL,
  content    jsonb NOT NULL,
  -- who wrote it: a person, or a key
  actor_kind text NOT NULL,
  actor_id   uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (item_id, version)
);
CREATE INDEX item_version_of_account ON item_version (account_id);

-- No row: not selected (P6). Ids are those of the catalogue in the code.
CREATE TABLE prompt_selection (
  account_id uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  prompt_id  uuid NOT NULL,
  PRIMARY KEY (account_id, prompt_id)
);

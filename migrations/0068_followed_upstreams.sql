-- Upstreams of which every matching tool is to be added: a new one waits for approval.

CREATE TABLE followed_upstream (
  upstream_id  uuid PRIMARY KEY REFERENCES upstream ON DELETE CASCADE,
  -- of the names of its tools here
  prefix       text NOT NULL,
  -- which of its tools are meant
  filter       jsonb NOT NULL,
  -- when its tools are listed next; the gateway that does so first moves it into the future
  due_at       timestamptz NOT NULL,
  attempted_at timestamptz,
  -- when they were last listed, and why the last attempt failed; null: it did not
  checked_at   timestamptz,
  failure      text,
  -- when it last announced that its tools changed
  announced_at timestamptz
);
CREATE INDEX followed_upstream_due ON followed_upstream (due_at);

-- Tools of followed upstreams that are not added yet.
CREATE TABLE offered_tool (
  upstream_id uuid NOT NULL REFERENCES followed_upstream ON DELETE CASCADE,
  tool        text NOT NULL,
  found       jsonb NOT NULL,
  found_at    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (upstream_id, tool)
);

-- Since when the upstream no longer lists the tool; null: it does.
ALTER TABLE pinned_tool ADD COLUMN missing_at timestamptz;

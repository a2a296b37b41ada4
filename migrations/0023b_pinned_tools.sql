-- What a custom tool of kind `mcp` was when somebody last looked at it.

CREATE TABLE pinned_tool (
  item_id     uuid PRIMARY KEY REFERENCES item ON DELETE CASCADE,
  account_id  uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  upstream_id uuid NOT NULL REFERENCES upstream,
  tool        text NOT NULL,
  pin         text NOT NULL,
  -- what its upstream says of it since then, while nobody has looked at that; else null
  found       jsonb,
  held_at     timestamptz,
  CHECK ((found IS NULL) = (held_at IS NULL))
);
CREATE INDEX pinned_tool_of_upstream ON pinned_tool (upstream_id);
CREATE INDEX pinned_tool_of_account ON pinned_tool (account_id);

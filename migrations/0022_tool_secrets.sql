-- Secrets of custom tools: sealed for the account, the item, the name and the origin they may go to.
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

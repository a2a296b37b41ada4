-- Calls: the ledger says of every call who asked for what, how it ended and what decided so.

-- Not of tools alone: a read is of a prompt or a resource.
ALTER TABLE usage_ledger RENAME COLUMN tool_id TO item_id;
ALTER TABLE usage_ledger RENAME COLUMN tool_name TO item_name;
-- Null together with the outcome, and in rows older than this column.
ALTER TABLE usage_ledger ADD COLUMN layer text;

-- Read newest first by database time, whatever the clocks of the gateways said.
CREATE INDEX usage_ledger_newest
  ON usage_ledger (owner_id, owner_kind, created_at DESC, call_id DESC);
DROP INDEX usage_ledger_owner;
-- Few rows of many: what went wrong last is found without reading what went well.
CREATE INDEX usage_ledger_not_ok
  ON usage_ledger (owner_id, owner_kind, created_at DESC, call_id DESC) WHERE outcome <> 'ok';

-- What clients sent, cut; only of accounts that ask for it, and gone with them.
CREATE TABLE call_arguments (
  call_id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  arguments text NOT NULL CHECK (octet_length(arguments) <= 4096),
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX call_arguments_of_account ON call_arguments (account_id);
CREATE INDEX call_arguments_by_age ON call_arguments (created_at);

-- No row: as a new account has it.
CREATE TABLE account_settings (
  account_id uuid PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
  audit_arguments boolean NOT NULL
);

-- Counted calls of each item by day; those of a month add up to its usage_month.
CREATE TABLE usage_day (
  owner_kind text NOT NULL CHECK (owner_kind IN ('account', 'organization')),
  owner_id uuid NOT NULL,
  day date NOT NULL,
  item_id text NOT NULL,
  -- As it was called last.
  item_name text NOT NULL,
  calls bigint NOT NULL CHECK (calls >= 0),
  PRIMARY KEY (owner_id, owner_kind, day, item_id)
);
CREATE INDEX usage_day_by_age ON usage_day (day);

-- Call logging: the settings of accounts, and the recorded arguments.

-- No row: the defaults.
CREATE TABLE account_settings (
  account_id      uuid PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
  audit_arguments boolean NOT NULL
);

-- Truncated call arguments; only of accounts that opted in, and deleted with the account.
CREATE TABLE call_arguments (
  call_id    uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  arguments  text NOT NULL CHECK (octet_length(arguments) <= 4096),
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX call_arguments_of_account ON call_arguments (account_id);
CREATE INDEX call_arguments_by_age ON call_arguments (created_at);

-- Deletion of an account: what finds the rows that go with it.

-- The partial index holds live sessions alone.
CREATE INDEX account_session_by_account ON account_session (account_id);
CREATE INDEX mail_job_of_address ON mail_job (address);

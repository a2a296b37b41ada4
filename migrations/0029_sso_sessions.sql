-- The connection that a session was opened through; null for other ways to sign in. It is not a foreign
-- key: a session whose connection was deleted ends when it is refreshed.
ALTER TABLE account_session ADD COLUMN sso_connection_id uuid;

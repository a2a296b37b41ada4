-- Columns that no release has read or written, so gateways of the previous one can keep serving.

-- An interaction is found by the hash of its id, as every artifact.
ALTER TABLE oauth_artifact DROP COLUMN uid;

-- A machine connection has its own: `oauth_connection.default_agent_id`.
ALTER TABLE oauth_client DROP COLUMN default_agent_id;

-- Corrections of what 0023 says. A grant is a row of `oauth_connection`, not an artifact. A
-- connection without a token is revoked after ten minutes, and deleted 30 days later.

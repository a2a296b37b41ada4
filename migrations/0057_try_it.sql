-- The client with which the dashboard tries tools. It belongs to the service: nobody registers or
-- edits it, and a connection works in the account or the organization that its request names.
ALTER TABLE oauth_client ADD COLUMN built_in text;
ALTER TABLE oauth_client DROP CONSTRAINT oauth_client_one_owner;
ALTER TABLE oauth_client ADD CONSTRAINT oauth_client_one_owner
  CHECK (num_nonnulls(account_id, organization_id, built_in) = 1) NOT VALID;

-- Its id spells `toolgate`, then `try-it`, in hexadecimal. Its redirect URI is a path of the
-- dashboard, whose origin depends on the configuration.
INSERT INTO oauth_client (id, built_in, name, type, grant_types, redirect_uris, allowed_scopes,
  follows_teams)
VALUES ('746f6f6c-6761-7465-a000-7472792d6974', 'toolgate-try-it', 'Try it', 'public',
  '{authorization_code}', '{/app/try/callback}',
  '{mcp_tools,mcp_resources,mcp_prompts,mcp_agents}', true);

-- The session in which a connection of a built-in client was authorized: it ends with the session.
-- No foreign key: a session may be deleted first.
ALTER TABLE oauth_connection ADD COLUMN session_id uuid;

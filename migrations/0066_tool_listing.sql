-- How a credential lists its tools: all of them, or two tools with which it finds and calls them.
-- Each table is released before the next is locked, so this file can be repeated.

ALTER TABLE api_key
  ADD COLUMN IF NOT EXISTS tool_listing text NOT NULL DEFAULT 'all',
  DROP CONSTRAINT IF EXISTS api_key_tool_listing_known,
  ADD CONSTRAINT api_key_tool_listing_known CHECK (tool_listing IN ('all', 'search')) NOT VALID;
COMMIT; BEGIN;

ALTER TABLE oauth_connection
  ADD COLUMN IF NOT EXISTS tool_listing text NOT NULL DEFAULT 'all',
  DROP CONSTRAINT IF EXISTS oauth_connection_tool_listing_known,
  ADD CONSTRAINT oauth_connection_tool_listing_known CHECK (tool_listing IN ('all', 'search'))
    NOT VALID;

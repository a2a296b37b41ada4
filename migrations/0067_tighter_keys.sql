-- From where and when credentials work (docs/decisions/0063), and what was said about their expiry.

ALTER TABLE api_key
  -- CIDR ranges in canonical form, null is everywhere
  ADD COLUMN IF NOT EXISTS allowed_addresses text[],
  -- the zone and the windows, null is always
  ADD COLUMN IF NOT EXISTS hours jsonb,
  -- The last notice of this `expires_at` that was sent, or is too late to send, in days before it.
  ADD COLUMN IF NOT EXISTS expiry_notice smallint;
COMMIT; BEGIN;

ALTER TABLE oauth_connection
  ADD COLUMN IF NOT EXISTS allowed_addresses text[],
  ADD COLUMN IF NOT EXISTS hours jsonb;

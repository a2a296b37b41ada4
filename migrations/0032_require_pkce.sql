-- Whether a client has to prove with PKCE that it requested a code. Clients that exist keep
-- what they could do: a confidential one may have left PKCE out. New ones require it by default.
ALTER TABLE oauth_client ADD COLUMN require_pkce boolean NOT NULL DEFAULT true;
UPDATE oauth_client SET require_pkce = false WHERE type = 'confidential';
ALTER TABLE oauth_client ADD CONSTRAINT oauth_client_public_requires_pkce
  CHECK (require_pkce OR type = 'confidential');

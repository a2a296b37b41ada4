-- Remembers the links that were made before the trigger of 0037, which may have fired for the same
-- accounts since.
INSERT INTO sso_access (account_id, organization_id, since)
-- An account that the organization created may have had earlier links.
SELECT i.account_id, c.organization_id,
  min(CASE a.managed_by WHEN c.organization_id THEN a.created_at ELSE i.created_at END)
FROM account_identity i
JOIN sso_connection c ON c.id = i.sso_connection_id
JOIN account a ON a.id = i.account_id
GROUP BY i.account_id, c.organization_id
ON CONFLICT (account_id, organization_id) DO UPDATE
  SET since = least(sso_access.since, excluded.since);

-- Sign-ins that did not make the person a member have left links, and access that never ends.
DELETE FROM account_identity i USING sso_connection c
WHERE c.id = i.sso_connection_id AND NOT EXISTS (SELECT FROM membership m
  WHERE m.account_id = i.account_id AND m.organization_id = c.organization_id
    AND m.left_at IS NULL);
DELETE FROM sso_access o WHERE NOT EXISTS (SELECT FROM membership m
  WHERE m.account_id = o.account_id AND m.organization_id = o.organization_id
    AND m.left_at IS NULL);

-- Through whose settings an organization's identity providers have been able to sign in to an account.
-- What they may have added outlasts the link and the settings, so a row of `sso_access` says it of all
-- the time since `since`, not only of the connection that the account is linked through now.
ALTER TABLE sso_access
  -- Whether someone without every permission of an Admin had configured one of the connections.
  ADD COLUMN IF NOT EXISTS limited boolean NOT NULL DEFAULT false,
  -- Whether anyone but the account's person had configured one of them. Unknown of earlier links, and
  -- so assumed.
  ADD COLUMN IF NOT EXISTS by_others boolean NOT NULL DEFAULT true;

CREATE OR REPLACE FUNCTION account_identity_remember() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO sso_access AS o (account_id, organization_id, since, limited, by_others)
  SELECT NEW.account_id, organization_id, NEW.created_at,
    NOT may_link, configured_by IS DISTINCT FROM NEW.account_id
  FROM sso_connection WHERE id = NEW.sso_connection_id
  ON CONFLICT (account_id, organization_id) DO UPDATE
    SET limited = o.limited OR excluded.limited, by_others = o.by_others OR excluded.by_others;
  RETURN NULL;
END
$$;

-- Of the accounts that are linked through a connection whose settings someone else saves.
CREATE OR REPLACE FUNCTION sso_connection_remember() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE sso_access o
  SET limited = o.limited OR NOT NEW.may_link,
    by_others = o.by_others OR NEW.configured_by IS DISTINCT FROM o.account_id
  FROM account_identity i
  WHERE i.sso_connection_id = NEW.id AND o.account_id = i.account_id
    AND o.organization_id = NEW.organization_id
    AND (NOT NEW.may_link AND NOT o.limited
      OR NEW.configured_by IS DISTINCT FROM o.account_id AND NOT o.by_others);
  RETURN NULL;
END
$$;
-- Deferred, since the links to a former provider end after the settings of another one are saved.
DROP TRIGGER IF EXISTS sso_connection_remember ON sso_connection;
CREATE CONSTRAINT TRIGGER sso_connection_remember
  AFTER UPDATE OF configured_by, may_link ON sso_connection
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN ((OLD.configured_by, OLD.may_link) IS DISTINCT FROM (NEW.configured_by, NEW.may_link))
  EXECUTE FUNCTION sso_connection_remember();
COMMIT; BEGIN;

-- Nobody knows of earlier connections.
UPDATE sso_access o SET limited = true
FROM account_identity i JOIN sso_connection c ON c.id = i.sso_connection_id
WHERE i.account_id = o.account_id AND c.organization_id = o.organization_id AND NOT c.may_link;

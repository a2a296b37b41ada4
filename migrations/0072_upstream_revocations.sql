-- Tokens whose authorization was deleted, for whichever reason, until their authorization server has
-- revoked them. There are no foreign keys: the upstream and the person may be gone.
CREATE TABLE IF NOT EXISTS upstream_revocation (
  -- those of the authorization
  id          uuid PRIMARY KEY,
  upstream_id uuid NOT NULL,
  holder_id   uuid NOT NULL,
  url         text NOT NULL,
  server      jsonb NOT NULL,
  sealed      bytea NOT NULL,
  attempts    int NOT NULL DEFAULT 0,
  due_at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS upstream_revocation_due ON upstream_revocation (due_at);
COMMIT; BEGIN;

CREATE OR REPLACE FUNCTION upstream_authorization_revoke() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO upstream_revocation (id, upstream_id, holder_id, url, server, sealed)
  VALUES (OLD.id, OLD.upstream_id, OLD.holder_id, OLD.url, OLD.server, OLD.sealed)
  ON CONFLICT (id) DO NOTHING;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER upstream_authorization_revocation AFTER DELETE ON upstream_authorization
  FOR EACH ROW WHEN (OLD.sealed IS NOT NULL AND OLD.server ? 'revocation_endpoint')
  EXECUTE FUNCTION upstream_authorization_revoke();

-- Records which rows a change of authority touches, if they are projected to OpenFGA, so that a
-- change that forgets an object fails (src/authz/touched.ts). The setting `toolgate.projected_rows`
-- is `refused` in a gateway's sessions, and `recorded` in the transaction of a change. Without the
-- setting nothing is recorded: earlier versions and other clients do not know it.

-- What the current transactions touched. Each deletes its own rows before it commits, so nothing has
-- to survive a crash.
CREATE UNLOGGED TABLE authz_touched (
  transaction xid8 NOT NULL DEFAULT pg_current_xact_id(),
  table_name  text NOT NULL,
  operation   text NOT NULL,
  -- the columns that identify objects
  content     jsonb NOT NULL
);
CREATE INDEX authz_touched_by_transaction ON authz_touched (transaction);

CREATE FUNCTION record_projected_row() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_refused boolean := current_setting('toolgate.projected_rows') = 'refused';
  version jsonb;
BEGIN
  FOREACH version IN ARRAY CASE TG_OP
    WHEN 'INSERT' THEN ARRAY[to_jsonb(NEW)]
    WHEN 'DELETE' THEN ARRAY[to_jsonb(OLD)]
    ELSE ARRAY[to_jsonb(OLD), to_jsonb(NEW)] END
  LOOP
    -- A revoked credential has no tuples; sweeps delete its row.
    CONTINUE WHEN version ->> 'revoked_at' IS NOT NULL;
    IF is_refused THEN
      -- A binding ends with its credential, whose own row decides.
      CONTINUE WHEN TG_TABLE_NAME = 'api_key_team'
        AND NOT EXISTS (SELECT FROM api_key WHERE id = (version ->> 'key_id')::uuid);
      CONTINUE WHEN TG_TABLE_NAME = 'oauth_connection_team' AND NOT EXISTS (
        SELECT FROM oauth_connection WHERE id = (version ->> 'connection_id')::uuid);
      RAISE EXCEPTION
        'rows of % are projected to OpenFGA: only a change of authority may touch them', TG_TABLE_NAME;
    END IF;
    INSERT INTO authz_touched (table_name, operation, content)
    SELECT TG_TABLE_NAME, TG_OP, jsonb_object_agg(name, version -> name)
    FROM unnest(TG_ARGV) AS name;
  END LOOP;
  RETURN NULL;
END $$;

-- Creates a table's triggers; `projected` are the columns that the projections read, `recorded`
-- those that identify the objects.
CREATE PROCEDURE record_projected_rows(target regclass, recorded text[], projected text[])
LANGUAGE plpgsql AS $$
DECLARE
  -- An ended transaction leaves an empty setting behind where there was none.
  enabled text := $sql$coalesce(current_setting('toolgate.projected_rows', true), '') <> ''$sql$;
  arguments text := (SELECT string_agg(quote_literal(name), ', ') FROM unnest(recorded) AS name);
  columns text[] := (SELECT array_agg(DISTINCT quote_ident(name))
    FROM unnest(recorded || projected) AS name);
BEGIN
  EXECUTE format('CREATE OR REPLACE TRIGGER projected_row AFTER INSERT OR DELETE ON %s
    FOR EACH ROW WHEN (%s) EXECUTE FUNCTION record_projected_row(%s)', target, enabled, arguments);
  EXECUTE format('CREATE OR REPLACE TRIGGER projected_row_update AFTER UPDATE OF %s ON %s
    FOR EACH ROW WHEN (%s AND (%s) IS DISTINCT FROM (%s))
    EXECUTE FUNCTION record_projected_row(%s)', array_to_string(columns, ', '), target, enabled,
    (SELECT string_agg('OLD.' || name, ', ') FROM unnest(columns) AS name),
    (SELECT string_agg('NEW.' || name, ', ') FROM unnest(columns) AS name), arguments);
END $$;

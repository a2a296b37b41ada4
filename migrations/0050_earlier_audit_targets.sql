-- The objects of the entries before the triggers of 0049. Each batch is a transaction. It locks its
-- entries, so that an entry that expires meanwhile is deleted after the rows that refer to it exist.
CREATE OR REPLACE PROCEDURE add_earlier_audit_targets() LANGUAGE plpgsql AS $$
DECLARE
  batch uuid[];
  last  uuid := '00000000-0000-0000-0000-000000000000';
BEGIN
  LOOP
    batch := ARRAY(SELECT id FROM audit_event WHERE id > last ORDER BY id LIMIT 1000);
    EXIT WHEN batch = '{}';
    PERFORM FROM audit_event WHERE id = ANY(batch) FOR KEY SHARE;
    INSERT INTO audit_target (event_id, target_id, at, of_account, of_organization)
    SELECT DISTINCT e.id, unit ->> 'id', e.at,
      CASE WHEN e.scope_kind = 'account' THEN e.scope_id END, e.organization_id
    FROM audit_event e CROSS JOIN jsonb_array_elements(e.units) AS unit
    WHERE e.id = ANY(batch) AND unit ->> 'id' IS NOT NULL
    ON CONFLICT DO NOTHING;
    last := batch[cardinality(batch)];
    COMMIT;
  END LOOP;
END $$;
CALL add_earlier_audit_targets();
DROP PROCEDURE IF EXISTS add_earlier_audit_targets;

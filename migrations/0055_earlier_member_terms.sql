-- The terms of the members before the triggers of 0052. Each batch is a transaction, so that a change
-- of a person waits for a batch at most.
CREATE OR REPLACE PROCEDURE add_earlier_member_terms() LANGUAGE plpgsql AS $$
DECLARE
  batch uuid[];
  last  uuid := '00000000-0000-0000-0000-000000000000';
BEGIN
  LOOP
    batch := ARRAY(SELECT id FROM membership WHERE id > last AND left_at IS NULL ORDER BY id LIMIT 500);
    EXIT WHEN batch = '{}';
    PERFORM set_member_terms(batch);
    last := batch[cardinality(batch)];
    COMMIT;
  END LOOP;
END $$;
CALL add_earlier_member_terms();
DROP PROCEDURE IF EXISTS add_earlier_member_terms;

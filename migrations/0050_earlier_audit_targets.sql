-- The objects of the entries that were written before the trigger of the migration before.

INSERT INTO audit_target (event_id, target_id, at, of_account, of_organization)
SELECT DISTINCT e.id, unit ->> 'id', e.at,
  CASE WHEN e.scope_kind = 'account' THEN e.scope_id END, e.organization_id
FROM audit_event e CROSS JOIN jsonb_array_elements(e.units) AS unit
WHERE unit ->> 'id' IS NOT NULL
ON CONFLICT DO NOTHING;

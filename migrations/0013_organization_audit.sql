-- Audit logs of organizations: which rows each organization lists.

-- Scopes outlive what they stand for, so a deleted membership still leads to its organization.
ALTER TABLE authz_scope
  -- the organization of a membership or service, or the organization itself; null for the others
  ADD COLUMN organization_id uuid;
UPDATE authz_scope SET organization_id = id WHERE kind = 'organization';
UPDATE authz_scope s SET organization_id = m.organization_id
FROM membership m WHERE s.kind = 'membership' AND s.id = m.id;

ALTER TABLE audit_event
  -- the organization whose audit log lists the row; set on only one row of each change
  ADD COLUMN organization_id uuid;
CREATE INDEX audit_event_of_organization ON audit_event (organization_id, at DESC, id DESC)
  WHERE organization_id IS NOT NULL;

-- Rows of one transaction have the same time; those of an organization come first.
ALTER TABLE audit_event DISABLE TRIGGER audit_event_append_only;
UPDATE audit_event e SET organization_id = listed.organization_id
FROM (
  SELECT DISTINCT ON (s.organization_id, e.at, e.action, e.units) e.id, s.organization_id
  FROM audit_event e JOIN authz_scope s ON s.kind = e.scope_kind AND s.id = e.scope_id
  WHERE s.organization_id IS NOT NULL
  ORDER BY s.organization_id, e.at, e.action, e.units, e.scope_kind DESC
) AS listed
WHERE e.id = listed.id;
ALTER TABLE audit_event ENABLE ALWAYS TRIGGER audit_event_append_only;

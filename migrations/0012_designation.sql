-- Built-in items that an organization selected for all its credentials; the others are reached only
-- where a team's policy admits them.

ALTER TABLE tool_selection ADD COLUMN organization_wide boolean NOT NULL DEFAULT false;
ALTER TABLE prompt_selection ADD COLUMN organization_wide boolean NOT NULL DEFAULT false;

-- Organizations have a space from their creation on; those that are older get theirs.
INSERT INTO space (id, kind, organization_id)
SELECT id, 'organization', id FROM organization
ON CONFLICT DO NOTHING;

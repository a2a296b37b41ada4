-- Content of organizations: a space for each team and each member, and which items of a catalog are
-- for the whole organization.

-- null: not an item of an organization's catalog
ALTER TABLE item ADD COLUMN organization_wide boolean;

-- Teams and memberships have a space from their creation on; those that are older get theirs.
INSERT INTO space (id, kind, organization_id, team_id)
SELECT id, 'team', organization_id, id FROM team
ON CONFLICT DO NOTHING;
INSERT INTO space (id, kind, account_id, organization_id)
SELECT id, 'member', account_id, organization_id FROM membership
ON CONFLICT DO NOTHING;

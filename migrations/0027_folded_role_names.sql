-- Names of roles, for comparisons that ignore case as Unicode defines it (platform/text/fold-case.ts).
-- PostgreSQL's lower() knows only letters that have one counterpart, and not in every locale.

ALTER TABLE organization_role ADD COLUMN folded_name text;
UPDATE organization_role SET folded_name = lower(name);
ALTER TABLE organization_role ALTER COLUMN folded_name SET NOT NULL;
DROP INDEX organization_role_name_unique;
CREATE UNIQUE INDEX organization_role_name_unique ON organization_role (organization_id, folded_name)
  WHERE deleted_at IS NULL;

ALTER TABLE team_role ADD COLUMN folded_name text;
UPDATE team_role SET folded_name = lower(name);
ALTER TABLE team_role ALTER COLUMN folded_name SET NOT NULL;
DROP INDEX team_role_name_unique;
CREATE UNIQUE INDEX team_role_name_unique ON team_role (owner_id, folded_name)
  WHERE deleted_at IS NULL;

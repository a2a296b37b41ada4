-- Deleted roles, until their holders have been given the role that replaces them.

ALTER TABLE organization_role
  -- From then on, the role is reported as not found; it is taken from its holders in batches.
  ADD COLUMN deleted_at timestamptz,
  -- The role that replaces a deleted one, whose content is the same from then on; possibly a system
  -- role, which has no row.
  ADD COLUMN replaced_by uuid,
  ADD CONSTRAINT organization_role_replaced CHECK (replaced_by IS NULL OR deleted_at IS NOT NULL);
CREATE INDEX organization_role_deleted ON organization_role (deleted_at)
  WHERE deleted_at IS NOT NULL;
DROP INDEX organization_role_name_unique;
CREATE UNIQUE INDEX organization_role_name_unique ON organization_role (organization_id, lower(name))
  WHERE deleted_at IS NULL;

ALTER TABLE team_role
  ADD COLUMN deleted_at timestamptz,
  -- null for a role that only seats in deleted teams still have
  ADD COLUMN replaced_by uuid,
  ADD CONSTRAINT team_role_replaced CHECK (replaced_by IS NULL OR deleted_at IS NOT NULL);
CREATE INDEX team_role_deleted ON team_role (deleted_at) WHERE deleted_at IS NOT NULL;
DROP INDEX team_role_name_unique;
CREATE UNIQUE INDEX team_role_name_unique ON team_role (owner_id, lower(name))
  WHERE deleted_at IS NULL;

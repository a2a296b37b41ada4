-- Keys in organizations: personal keys that work there, and keys that an organization owns.

ALTER TABLE api_key
  ALTER COLUMN account_id DROP NOT NULL,
  -- The organization that a person's key works in. No foreign key: the key outlives the organization.
  ADD COLUMN org_scope uuid,
  -- The organization that owns the key; null: a person owns it.
  ADD COLUMN organization_id uuid REFERENCES organization,
  ADD COLUMN created_by uuid REFERENCES account ON DELETE SET NULL,
  -- In an organization: whether it is active in all teams of its person, or of the organization that
  -- owns it; otherwise only in those of `api_key_team`.
  ADD COLUMN follows_teams boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT api_key_one_owner CHECK (num_nonnulls(account_id, organization_id) = 1),
  ADD CONSTRAINT api_key_one_organization CHECK (num_nulls(org_scope, organization_id) > 0);
ALTER TABLE api_key
  ADD COLUMN runs_in uuid GENERATED ALWAYS AS (coalesce(org_scope, organization_id)) STORED,
  ADD CONSTRAINT api_key_in_organization UNIQUE (id, runs_in);

CREATE UNIQUE INDEX api_key_organization_name_unique ON api_key (organization_id, name)
  WHERE revoked_at IS NULL AND organization_id IS NOT NULL;
CREATE INDEX api_key_created_by ON api_key (created_by) WHERE created_by IS NOT NULL;

-- The teams that a key is bound to.
CREATE TABLE api_key_team (
  key_id          uuid NOT NULL,
  organization_id uuid NOT NULL,
  team_id         uuid NOT NULL,
  PRIMARY KEY (key_id, team_id),
  -- Nothing in OpenFGA ties a team to the organization of the key: these two keys do.
  FOREIGN KEY (key_id, organization_id) REFERENCES api_key (id, runs_in) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, team_id) REFERENCES team (organization_id, id)
);
CREATE INDEX api_key_team_by_team ON api_key_team (team_id);

-- Teams of organizations: their members, the roles that members hold there, and what their policies
-- admit from the organization's catalog.

CREATE TABLE team (
  id              uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organization,
  -- prefixes the names of its items over MCP
  name            text NOT NULL,
  title           text NOT NULL CHECK (title IS NFC NORMALIZED),
  description     text NOT NULL,
  tool_policy     jsonb NOT NULL DEFAULT '{"mode": "all"}',
  resource_policy jsonb NOT NULL DEFAULT '{"mode": "all"}',
  prompt_policy   jsonb NOT NULL DEFAULT '{"mode": "all"}',
  agent_policy    jsonb NOT NULL DEFAULT '{"mode": "all"}',
  -- bytes of the four policies, which limit the lists that contain them
  policies_size   integer NOT NULL GENERATED ALWAYS AS (octet_length(tool_policy::text)
    + octet_length(resource_policy::text) + octet_length(prompt_policy::text)
    + octet_length(agent_policy::text)) STORED,
  created_at      timestamptz NOT NULL DEFAULT now(),
  -- From then on, everything of the team is reported as not found; its members and roles are removed
  -- in batches, then this row.
  deleted_at      timestamptz,
  CONSTRAINT team_in_organization UNIQUE (organization_id, id)
);
CREATE UNIQUE INDEX team_name_unique ON team (organization_id, name) WHERE deleted_at IS NULL;
CREATE INDEX team_deleted ON team (deleted_at) WHERE deleted_at IS NOT NULL;

-- Roles that an organization defined for all its teams, or one of its teams for itself; team_admin
-- is the same in all of them.
CREATE TABLE team_role (
  id              uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organization,
  -- null: for all teams of the organization
  team_id         uuid,
  -- the team or, for a shared role, the organization
  owner_id        uuid NOT NULL GENERATED ALWAYS AS (coalesce(team_id, organization_id)) STORED,
  name            text NOT NULL CHECK (name IS NFC NORMALIZED),
  description     text NOT NULL,
  -- names as in grants: can_view_team_members
  permissions     text[] NOT NULL,
  capabilities    text[] NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT team_role_of_owner UNIQUE (owner_id, id),
  FOREIGN KEY (organization_id, team_id) REFERENCES team (organization_id, id)
);
CREATE UNIQUE INDEX team_role_name_unique ON team_role (owner_id, lower(name));
CREATE INDEX team_role_of_organization ON team_role (organization_id, team_id);

-- A member's seat in a team; it ends with the membership.
CREATE TABLE team_member (
  organization_id uuid NOT NULL,
  team_id         uuid NOT NULL,
  membership_id   uuid NOT NULL,
  joined_at       timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (team_id, membership_id),
  -- Nothing in OpenFGA ties a team to its organization: these two keys do.
  FOREIGN KEY (organization_id, team_id) REFERENCES team (organization_id, id),
  FOREIGN KEY (organization_id, membership_id) REFERENCES membership (organization_id, id)
    ON DELETE CASCADE
);
CREATE INDEX team_member_by_membership ON team_member (membership_id);

CREATE TABLE team_member_role (
  organization_id uuid NOT NULL,
  team_id         uuid NOT NULL,
  membership_id   uuid NOT NULL,
  role_id         uuid NOT NULL,
  -- null for team_admin (src/organizations/teams/roles/system.ts)
  custom_role_id  uuid GENERATED ALWAYS AS (
    CASE WHEN role_id <> '00000000-0000-8000-8000-000000000004' THEN role_id END) STORED,
  -- The role is the team's own, or its organization's.
  role_owner_id   uuid NOT NULL CHECK (role_owner_id IN (team_id, organization_id)),
  PRIMARY KEY (team_id, membership_id, role_id),
  FOREIGN KEY (organization_id, team_id) REFERENCES team (organization_id, id),
  FOREIGN KEY (team_id, membership_id) REFERENCES team_member (team_id, membership_id)
    ON DELETE CASCADE,
  CONSTRAINT team_member_role_exists FOREIGN KEY (role_owner_id, custom_role_id)
    REFERENCES team_role (owner_id, id)
);
CREATE INDEX team_member_role_by_role ON team_member_role (organization_id, role_id);

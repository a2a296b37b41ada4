-- Organizations: their members, and the roles that members hold.

CREATE TABLE organization (
  id         uuid PRIMARY KEY,
  name       text NOT NULL CHECK (name IS NFC NORMALIZED),
  plan       text NOT NULL DEFAULT 'free' CHECK (plan IN ('free', 'pro', 'enterprise')),
  status     text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended')),
  created_at timestamptz NOT NULL DEFAULT now(),
  -- From then on, everything in the organization is reported as not found; its memberships and roles
  -- are removed in batches, then this row.
  deleted_at timestamptz
);
CREATE INDEX organization_deleted ON organization (deleted_at) WHERE deleted_at IS NOT NULL;

-- One row per person and organization. Leaving keeps the row, and joining again reuses it: its id is
-- also the id of the scope, of which a person has only one in an organization.
CREATE TABLE membership (
  id              uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organization,
  account_id      uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  joined_at       timestamptz NOT NULL DEFAULT now(),
  -- null: still a member
  left_at         timestamptz,
  CONSTRAINT membership_unique UNIQUE (account_id, organization_id),
  -- lets roles reference a membership together with its organization
  CONSTRAINT membership_in_organization UNIQUE (organization_id, id)
);

-- Roles that an organization defined; the system roles are the same in all of them.
CREATE TABLE organization_role (
  id              uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organization,
  name            text NOT NULL CHECK (name IS NFC NORMALIZED),
  description     text NOT NULL,
  -- names as in grants: can_view_organization_members
  permissions     text[] NOT NULL,
  capabilities    text[] NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT organization_role_in_organization UNIQUE (organization_id, id)
);
CREATE UNIQUE INDEX organization_role_name_unique ON organization_role (organization_id, lower(name));

CREATE TABLE membership_role (
  organization_id uuid NOT NULL,
  membership_id   uuid NOT NULL,
  role_id         uuid NOT NULL,
  -- null for the system roles: owner, admin, member (src/organizations/roles/system.ts)
  custom_role_id  uuid GENERATED ALWAYS AS (CASE WHEN role_id NOT IN (
    '00000000-0000-8000-8000-000000000001',
    '00000000-0000-8000-8000-000000000002',
    '00000000-0000-8000-8000-000000000003') THEN role_id END) STORED,
  PRIMARY KEY (membership_id, role_id),
  -- Nothing in OpenFGA ties a role to its organization: these two keys do.
  FOREIGN KEY (organization_id, membership_id) REFERENCES membership (organization_id, id)
    ON DELETE CASCADE,
  CONSTRAINT membership_role_exists FOREIGN KEY (organization_id, custom_role_id)
    REFERENCES organization_role (organization_id, id)
);
CREATE INDEX membership_role_by_role ON membership_role (organization_id, role_id);
-- Prevents a second Owner; the transactions that write Owners ensure that there is always one.
CREATE UNIQUE INDEX membership_role_one_owner ON membership_role (organization_id)
  WHERE role_id = '00000000-0000-8000-8000-000000000001';

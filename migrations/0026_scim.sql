-- SCIM: the directory of an organization creates, changes and deactivates members and teams.

CREATE TABLE scim_token (
  id              uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organization ON DELETE CASCADE,
  name            text NOT NULL CHECK (name IS NFC NORMALIZED),
  -- SHA-256 of the token, which has 256 random bits, so that a slow hash is not needed
  token_hash      bytea NOT NULL CONSTRAINT scim_token_unique UNIQUE,
  prefix          text NOT NULL,
  created_by      uuid REFERENCES account ON DELETE SET NULL,
  -- Whether the person who created it had every permission of an Admin. Only then may it change the
  -- addresses of accounts: third-party providers sign people in by their address, Admins included.
  may_change_emails   boolean NOT NULL DEFAULT false,
  created_at      timestamptz NOT NULL DEFAULT now(),
  last_used_at    timestamptz
);
CREATE INDEX scim_token_of_organization ON scim_token (organization_id, id);
CREATE INDEX scim_token_created_by ON scim_token (created_by) WHERE created_by IS NOT NULL;

-- A member whom the directory manages, with the attributes that it sent. A user is active exactly
-- while the membership is; there is no separate flag.
CREATE TABLE scim_user (
  membership_id   uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  -- lower case
  user_name       text NOT NULL,
  external_id     text,
  given_name      text,
  family_name     text,
  display_name    text,
  created_at      timestamptz NOT NULL DEFAULT now(),
  updated_at      timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT scim_user_name_unique UNIQUE (organization_id, user_name),
  CONSTRAINT scim_user_in_organization UNIQUE (organization_id, membership_id),
  FOREIGN KEY (organization_id, membership_id) REFERENCES membership (organization_id, id)
    ON DELETE CASCADE
);
CREATE INDEX scim_user_by_external_id ON scim_user (organization_id, external_id);

-- A team that the directory created as a group.
CREATE TABLE scim_group (
  team_id         uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  display_name    text NOT NULL,
  external_id     text,
  created_at      timestamptz NOT NULL DEFAULT now(),
  updated_at      timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT scim_group_in_organization UNIQUE (organization_id, team_id),
  FOREIGN KEY (organization_id, team_id) REFERENCES team (organization_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX scim_group_name_unique ON scim_group (organization_id, lower(display_name));
CREATE INDEX scim_group_by_external_id ON scim_group (organization_id, external_id);

-- Who is in a group according to the directory, active or not: a user who is activated again gets
-- the seats back.
CREATE TABLE scim_group_member (
  organization_id uuid NOT NULL,
  team_id         uuid NOT NULL,
  membership_id   uuid NOT NULL,
  PRIMARY KEY (team_id, membership_id),
  FOREIGN KEY (organization_id, team_id) REFERENCES scim_group (organization_id, team_id)
    ON DELETE CASCADE,
  FOREIGN KEY (organization_id, membership_id) REFERENCES scim_user (organization_id, membership_id)
    ON DELETE CASCADE
);
CREATE INDEX scim_group_member_by_membership ON scim_group_member (membership_id);

-- A directory acts as its token.
ALTER TABLE audit_event DROP CONSTRAINT audit_event_actor_kind_check;
ALTER TABLE audit_event ADD CONSTRAINT audit_event_actor_kind_check CHECK (
  actor_kind IN ('user', 'api_key', 'org_key', 'connection', 'machine', 'scim_token', 'system'));

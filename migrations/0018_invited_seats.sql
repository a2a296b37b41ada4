-- Team seats that invitations grant, in addition to roles in the organization.

CREATE TABLE organization_invitation_seat (
  organization_id uuid NOT NULL,
  invitation_id   uuid NOT NULL,
  team_id         uuid NOT NULL,
  PRIMARY KEY (invitation_id, team_id),
  FOREIGN KEY (organization_id, invitation_id)
    REFERENCES organization_invitation (organization_id, id) ON DELETE CASCADE,
  -- If a team is deleted, the invitation still grants the rest.
  FOREIGN KEY (organization_id, team_id) REFERENCES team (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX organization_invitation_seat_by_team
  ON organization_invitation_seat (organization_id, team_id);

CREATE TABLE organization_invitation_seat_role (
  organization_id uuid NOT NULL,
  invitation_id   uuid NOT NULL,
  team_id         uuid NOT NULL,
  role_id         uuid NOT NULL,
  -- null for team_admin, as in `team_member_role`
  custom_role_id  uuid GENERATED ALWAYS AS (
    CASE WHEN role_id <> '00000000-0000-8000-8000-000000000004' THEN role_id END) STORED,
  -- The role is the team's own, or its organization's.
  role_owner_id   uuid NOT NULL CHECK (role_owner_id IN (team_id, organization_id)),
  PRIMARY KEY (invitation_id, team_id, role_id),
  FOREIGN KEY (invitation_id, team_id)
    REFERENCES organization_invitation_seat (invitation_id, team_id) ON DELETE CASCADE,
  -- Roles of pending invitations are not deleted; ended invitations lose the role.
  FOREIGN KEY (role_owner_id, custom_role_id) REFERENCES team_role (owner_id, id)
    ON DELETE CASCADE
);
CREATE INDEX organization_invitation_seat_role_by_role
  ON organization_invitation_seat_role (organization_id, role_id);

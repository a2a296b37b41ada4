-- Indexes for the rows that deleting an organization, a key of it or a role of teams looks up.

CREATE INDEX api_key_of_organization ON api_key (organization_id, id)
  WHERE organization_id IS NOT NULL;
CREATE INDEX team_member_role_by_custom_role ON team_member_role (role_owner_id, custom_role_id)
  WHERE custom_role_id IS NOT NULL;
CREATE INDEX organization_invitation_seat_role_by_custom_role
  ON organization_invitation_seat_role (role_owner_id, custom_role_id)
  WHERE custom_role_id IS NOT NULL;
CREATE INDEX membership_role_by_custom_role ON membership_role (organization_id, custom_role_id)
  WHERE custom_role_id IS NOT NULL;
CREATE INDEX organization_invitation_role_by_custom_role
  ON organization_invitation_role (organization_id, custom_role_id)
  WHERE custom_role_id IS NOT NULL;

-- Which of their permissions credentials have used in organizations, for access reviews.

CREATE TABLE permission_use (
  organization_id uuid NOT NULL,
  credential_id   uuid NOT NULL,
  -- as in grants: `can_view_organization_members`, or a capability as in scopes: `mcp_tools`
  permission      text NOT NULL,
  last_used_on    date NOT NULL,
  PRIMARY KEY (credential_id, organization_id, permission)
);
CREATE INDEX permission_use_by_age ON permission_use (last_used_on);

-- Since when uses have been recorded. What was not used before is not known.
CREATE TABLE permission_use_start (
  single   boolean PRIMARY KEY DEFAULT true CHECK (single),
  began_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO permission_use_start DEFAULT VALUES;

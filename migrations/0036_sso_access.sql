-- Since when the identity providers of an organization have been able to sign in to an account. The
-- row outlasts the link, and goes with the membership.
--
-- The organizations are locked before the accounts, which more transactions write.
CREATE TABLE sso_access (
  organization_id uuid NOT NULL REFERENCES organization ON DELETE CASCADE,
  account_id      uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  since           timestamptz NOT NULL,
  PRIMARY KEY (account_id, organization_id)
);
CREATE INDEX sso_access_of_organization ON sso_access (organization_id);

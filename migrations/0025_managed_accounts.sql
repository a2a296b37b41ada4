-- Accounts that an organization created for its members, through single sign-on or SCIM.

ALTER TABLE account
  -- the organization that created the account; null: the person registered it
  ADD COLUMN managed_by uuid REFERENCES organization ON DELETE SET NULL;
CREATE INDEX account_managed_by ON account (managed_by) WHERE managed_by IS NOT NULL;

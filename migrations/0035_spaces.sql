-- Spaces: where content lives. Everything people write or select belongs to one.

CREATE TABLE space (
  -- that of what it belongs to: the account, the membership, the team or the organization
  id              uuid PRIMARY KEY,
  kind            text NOT NULL CHECK (kind IN ('personal', 'member', 'team', 'organization')),
  account_id      uuid REFERENCES account ON DELETE CASCADE,
  organization_id uuid,
  team_id         uuid,
  -- whose plan bounds what it holds
  quota_owner_id  uuid NOT NULL GENERATED ALWAYS AS (coalesce(organization_id, account_id)) STORED,
  created_at      timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT space_of_account CHECK ((account_id IS NOT NULL) = (kind IN ('personal', 'member'))),
  CONSTRAINT space_of_organization CHECK ((organization_id IS NOT NULL) = (kind <> 'personal')),
  CONSTRAINT space_of_team CHECK ((team_id IS NOT NULL) = (kind = 'team')),
  CONSTRAINT space_has_its_owners_id CHECK (CASE kind
    WHEN 'personal' THEN id = account_id
    WHEN 'team' THEN id = team_id
    WHEN 'organization' THEN id = organization_id
    ELSE true END),
  CONSTRAINT space_of_member_unique UNIQUE (account_id, organization_id)
);
CREATE INDEX space_by_quota_owner ON space (quota_owner_id);

ALTER TABLE tool_selection DROP CONSTRAINT tool_selection_account_id_fkey;
ALTER TABLE tool_selection RENAME COLUMN account_id TO space_id;
ALTER TABLE tool_selection ADD FOREIGN KEY (space_id) REFERENCES space ON DELETE CASCADE;

ALTER TABLE prompt_selection DROP CONSTRAINT prompt_selection_account_id_fkey;
ALTER TABLE prompt_selection RENAME COLUMN account_id TO space_id;
ALTER TABLE prompt_selection ADD FOREIGN KEY (space_id) REFERENCES space ON DELETE CASCADE;

ALTER TABLE item DROP CONSTRAINT item_account_id_fkey;
ALTER TABLE item RENAME COLUMN account_id TO space_id;
ALTER TABLE item ADD FOREIGN KEY (space_id) REFERENCES space ON DELETE CASCADE;
ALTER INDEX item_of_account RENAME TO item_of_space;

ALTER TABLE item_version DROP CONSTRAINT item_version_account_id_fkey;
ALTER TABLE item_version RENAME COLUMN account_id TO space_id;
ALTER TABLE item_version ADD FOREIGN KEY (space_id) REFERENCES space ON DELETE CASCADE;
ALTER INDEX item_version_of_account RENAME TO item_version_of_space;

ALTER TABLE tool_secret DROP CONSTRAINT tool_secret_account_id_fkey;
ALTER TABLE tool_secret RENAME COLUMN account_id TO space_id;
ALTER TABLE tool_secret ADD FOREIGN KEY (space_id) REFERENCES space ON DELETE CASCADE;
ALTER INDEX tool_secret_of_account RENAME TO tool_secret_of_space;

ALTER TABLE upstream DROP CONSTRAINT upstream_account_id_fkey;
ALTER TABLE upstream RENAME COLUMN account_id TO space_id;
ALTER TABLE upstream ADD FOREIGN KEY (space_id) REFERENCES space ON DELETE CASCADE;

ALTER TABLE pinned_tool DROP CONSTRAINT pinned_tool_account_id_fkey;
ALTER TABLE pinned_tool RENAME COLUMN account_id TO space_id;
ALTER TABLE pinned_tool ADD FOREIGN KEY (space_id) REFERENCES space ON DELETE CASCADE;
ALTER INDEX pinned_tool_of_account RENAME TO pinned_tool_of_space;

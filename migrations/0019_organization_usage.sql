-- Usage of organizations: who made which calls, with which credential, and to which team's items.

ALTER TABLE usage_ledger
  -- what `key_id` identifies: a key of a person or an organization, a connection or a machine
  ADD COLUMN credential_kind text
    CHECK (credential_kind IN ('api_key', 'org_key', 'connection', 'machine')),
  -- the team that the item belongs to
  ADD COLUMN team_id uuid;

-- Counted calls of each month by member, credential and, for teams, item; those of members add up
-- to fewer than the month's calls, since some credentials act for no person.
CREATE TABLE usage_share (
  organization_id uuid NOT NULL,
  -- the organization, or one of its teams
  group_id        uuid NOT NULL,
  month           date NOT NULL CHECK (extract(day FROM month) = 1),
  part            text NOT NULL
    CHECK (part IN ('member', 'item', 'api_key', 'org_key', 'connection', 'machine')),
  part_id         text NOT NULL,
  -- of an item: the name of its last call
  name            text,
  calls           bigint NOT NULL CHECK (calls >= 0),
  PRIMARY KEY (organization_id, group_id, month, part, part_id)
) WITH (fillfactor = 50);
CREATE INDEX usage_share_by_age ON usage_share (month);

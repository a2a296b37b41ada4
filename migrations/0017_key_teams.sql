-- Bindings of keys end with the row of their team, at the latest.

ALTER TABLE api_key_team
  DROP CONSTRAINT api_key_team_organization_id_team_id_fkey,
  ADD CONSTRAINT api_key_team_exists FOREIGN KEY (organization_id, team_id)
    REFERENCES team (organization_id, id) ON DELETE CASCADE;

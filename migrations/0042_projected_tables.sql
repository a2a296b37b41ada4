-- Watches the tables that tuples are projected from (0041). Each is locked in a transaction of its
-- own: with several locks, writers of one table would wait until those of the others are done.
CALL record_projected_rows('account', '{id}', '{status}');
COMMIT; BEGIN;
CALL record_projected_rows('api_key',
  '{id, account_id, organization_id, org_scope, grants, follows_teams, revoked_at}',
  '{mcp_capabilities}');
COMMIT; BEGIN;
CALL record_projected_rows('api_key_team', '{key_id, organization_id, team_id}', '{}');
COMMIT; BEGIN;
CALL record_projected_rows('membership', '{id, organization_id, account_id}', '{left_at}');
COMMIT; BEGIN;
CALL record_projected_rows('membership_role', '{membership_id}', '{role_id}');
COMMIT; BEGIN;
CALL record_projected_rows('organization_role', '{id}',
  '{organization_id, permissions, capabilities}');
COMMIT; BEGIN;
CALL record_projected_rows('team', '{id, organization_id, deleted_at}', '{}');
COMMIT; BEGIN;
CALL record_projected_rows('team_role', '{id}', '{organization_id, permissions, capabilities}');
COMMIT; BEGIN;
CALL record_projected_rows('team_member', '{team_id, membership_id}', '{organization_id}');
COMMIT; BEGIN;
CALL record_projected_rows('team_member_role', '{team_id, membership_id}',
  '{organization_id, role_id}');
COMMIT; BEGIN;
CALL record_projected_rows('oauth_connection',
  '{id, account_id, organization_id, follows_teams, revoked_at}',
  '{kind, scopes, has_own_authority}');
COMMIT; BEGIN;
CALL record_projected_rows('oauth_connection_team', '{connection_id, organization_id, team_id}',
  '{}');

import { createCredentialTables } from '../organizations/organizations.ts';
import { sql } from '../platform/postgres/database.ts';

export const keyTables = createCredentialTables({
  name: 'api_key',
  columns: sql.fragment`id uuid, account_id uuid, organization_id uuid, org_scope uuid,
    grants jsonb, follows_teams boolean, revoked_at timestamptz`,
  bindings: 'api_key_team',
  reference: 'key_id',
  personal: 'api_key',
  service: 'org_key',
  organizations: sql.fragment`
    SELECT c.org_scope UNION ALL
    SELECT (granted #>> '{scope, org_id}')::uuid FROM jsonb_array_elements(c.grants) AS granted`,
});

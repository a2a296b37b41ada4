import { createCredentialTables } from '../../organizations/organizations.ts';
import { sql } from '../../platform/postgres/database.ts';

export const connectionTables = createCredentialTables({
  name: 'oauth_connection',
  columns: sql.fragment`id uuid, account_id uuid, organization_id uuid, follows_teams boolean,
    revoked_at timestamptz`,
  bindings: 'oauth_connection_team',
  reference: 'connection_id',
  personal: 'connection',
  service: 'machine',
  organizations: sql.fragment`SELECT c.organization_id`,
});

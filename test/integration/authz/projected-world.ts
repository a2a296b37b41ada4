import { randomUUID } from 'node:crypto';
import type { Database } from '../../../src/platform/postgres/database.ts';
import { MEMBER_ROLE, OWNER_ROLE } from '../../../src/caller/system-roles.ts';

/** The ids of the rows of `insertProjectedWorld`, by name. */
export type Ids = Record<(typeof NAMES)[number], string>;

const NAMES = [
  ...['mia', 'bob', 'fay', 'organization', 'member', 'role', 'other_role', 'team', 'other_team'],
  ...[
    'former',
    'unused_team_role',
    'team_role',
    'key',
    'bound_key',
    'org_key',
    'bound_org_key',
    'connection',
  ],
  ...['own_connection', 'bobs_key', 'bobs_connection', 'machine', 'bound_machine', 'new'],
] as const satisfies readonly string[];

const TEAM_ADMIN = '00000000-0000-8000-8000-000000000004';

/** The columns of a key that no tuple depends on. */
const keyFields = `name, secret_hash, secret_prefix, mcp_capabilities, tool_policy,
  resource_policy, prompt_policy, agent_policy`;
const keyValues = `gen_random_uuid()::text, uuid_send(gen_random_uuid()), '', '{tools}', '{}',
  '{}', '{}', '{}'`;

/**
 * Inserts an organization with a member who has roles and seats, and with each kind of credential
 * in each place; all are projected to tuples. Bob, who is no member, has credentials that get
 * tuples once he joins. Fay was a member.
 */
export async function insertProjectedWorld({ authPool }: Database): Promise<Ids> {
  const ids = Object.fromEntries(NAMES.map((name) => [name, randomUUID()])) as Ids;
  const statements = [
    `INSERT INTO account (id) VALUES (:mia), (:bob), (:fay)`,
    `INSERT INTO organization (id, name) VALUES (:organization, 'Acme')`,
    `INSERT INTO membership (id, organization_id, account_id, left_at)
     VALUES (:member, :organization, :mia, NULL), (:former, :organization, :fay, now())`,
    `INSERT INTO organization_role (id, organization_id, name, folded_name, description,
       permissions, capabilities)
     SELECT id, :organization, id::text, id::text, '', '{can_view_organization_members}', '{tools}'
     FROM unnest(ARRAY[:role, :other_role]) AS id`,
    `INSERT INTO membership_role (organization_id, membership_id, role_id)
     SELECT :organization, :member, id FROM unnest(ARRAY[:role, '${MEMBER_ROLE}'::uuid]) AS id`,
    `INSERT INTO team (id, organization_id, name, title, description)
     SELECT id, :organization, id::text, '', '' FROM unnest(ARRAY[:team, :other_team]) AS id`,
    `INSERT INTO team_role (id, organization_id, name, folded_name, description, permissions,
       capabilities)
     SELECT id, :organization, id::text, id::text, '', '{can_view_team_members}', '{tools}'
     FROM unnest(ARRAY[:team_role, :unused_team_role]) AS id`,
    `INSERT INTO team_member (organization_id, team_id, membership_id)
     VALUES (:organization, :team, :member)`,
    `INSERT INTO team_member_role (organization_id, team_id, membership_id, role_id, role_owner_id)
     VALUES (:organization, :team, :member, :team_role, :organization)`,
    `INSERT INTO api_key (id, account_id, org_scope, organization_id, grants, follows_teams, ${keyFields})
     SELECT id, account_id, org_scope, organization_id, jsonb_build_array(
       jsonb_build_object('scope', scope, 'permissions', jsonb_build_array('can_view_api_keys'))),
       follows_teams, ${keyValues}
     FROM (VALUES
       (:key, :mia, NULL, NULL, jsonb_build_object('type', 'org', 'org_id', :organization), false),
       (:bobs_key, :bob, NULL, NULL, jsonb_build_object('type', 'org', 'org_id', :organization), false),
       (:bound_key, :mia, :organization, NULL, '{"type": "personal"}', false),
       (:org_key, NULL, NULL, :organization, '{"type": "personal"}', true),
       (:bound_org_key, NULL, NULL, :organization, '{"type": "personal"}', false)
     ) AS key (id, account_id, org_scope, organization_id, scope, follows_teams)`,
    `INSERT INTO api_key_team (key_id, organization_id, team_id)
     SELECT id, :organization, :other_team FROM unnest(ARRAY[:bound_key, :bound_org_key]) AS id`,
    `INSERT INTO oauth_connection (id, kind, account_id, organization_id, scopes, follows_teams)
     VALUES (:connection, 'delegated', :mia, :organization, '{mcp_tools}', false),
       (:bobs_connection, 'delegated', :bob, :organization, '{mcp_tools}', false),
       (:own_connection, 'delegated', :mia, NULL, '{mcp_tools}', false),
       (:machine, 'machine', NULL, :organization, '{mcp_tools}', true),
       (:bound_machine, 'machine', NULL, :organization, '{mcp_tools}', false)`,
    `INSERT INTO oauth_connection_team (connection_id, organization_id, team_id)
     SELECT id, :organization, :other_team FROM unnest(ARRAY[:connection, :bobs_connection, :bound_machine]) AS id`,
    `INSERT INTO authz_scope (kind, id, organization_id)
     VALUES ('account', :mia, NULL), ('account', :bob, NULL), ('organization', :organization, :organization),
       ('account', :fay, NULL), ('membership', :member, :organization),
       ('membership', :former, :organization), ('service', :org_key, :organization),
       ('service', :bound_org_key, :organization), ('service', :machine, :organization),
       ('service', :bound_machine, :organization), ('service', :new, :organization),
       ('account', :new, NULL), ('membership', :new, :organization)`,
  ];
  for (const statement of statements) await authPool.query(withIds(statement, ids));
  return ids;
}

/** Replaces each `:name` in a statement with the id of that name. */
export const withIds = (statement: string, ids: Ids): string =>
  statement.replaceAll(/(?<!:):([a-z_]+)/g, (_, name: keyof Ids) => `'${ids[name]}'::uuid`);

/**
 * Statements that touch projected rows, at least one for each kind of touch of each table, and some
 * that touch several at once.
 */
export const touches: readonly string[] = [
  `INSERT INTO account (id) VALUES (:new)`,
  `UPDATE account SET status = 'deactivated' WHERE id = :mia`,
  `DELETE FROM account WHERE id = :mia`,
  `INSERT INTO api_key (id, account_id, grants, ${keyFields})
   VALUES (:new, :mia, '[{"scope": {"type": "personal"}, "permissions": []}]', ${keyValues})`,
  `INSERT INTO api_key (id, account_id, org_scope, follows_teams, grants, ${keyFields})
   VALUES (:new, :mia, :organization, true, '[]', ${keyValues})`,
  `INSERT INTO api_key (id, organization_id, follows_teams, grants, ${keyFields})
   VALUES (:new, :organization, true, '[]', ${keyValues})`,
  `UPDATE api_key SET mcp_capabilities = '{prompts}'`,
  `UPDATE api_key SET grants = '[]'`,
  `UPDATE api_key SET follows_teams = NOT follows_teams`,
  `UPDATE api_key SET revoked_at = now()`,
  `UPDATE api_key SET org_scope = :organization WHERE id = :key`,
  `DELETE FROM api_key`,
  `INSERT INTO api_key_team (key_id, organization_id, team_id)
   SELECT id, :organization, :team FROM unnest(ARRAY[:bound_key, :bound_org_key]) AS id`,
  `DELETE FROM api_key_team`,
  `INSERT INTO membership (id, organization_id, account_id) VALUES (:new, :organization, :bob)`,
  `UPDATE membership SET left_at = now()`,
  `UPDATE membership SET joined_at = now(), left_at = NULL WHERE left_at IS NOT NULL`,
  `DELETE FROM membership`,
  `INSERT INTO membership_role (organization_id, membership_id, role_id)
   VALUES (:organization, :member, '${OWNER_ROLE}')`,
  `UPDATE membership_role SET role_id = :other_role WHERE role_id = :role`,
  `DELETE FROM membership_role`,
  `INSERT INTO organization_role (id, organization_id, name, folded_name, description, permissions,
     capabilities)
   VALUES (:new, :organization, 'new', 'new', '', '{}', '{tools}')`,
  `UPDATE organization_role SET permissions = '{}'`,
  `UPDATE organization_role SET capabilities = '{}'`,
  `DELETE FROM organization_role WHERE id = :other_role`,
  `INSERT INTO team (id, organization_id, name, title, description)
   VALUES (:new, :organization, 'new', '', '')`,
  `UPDATE team SET deleted_at = now()`,
  `DELETE FROM team WHERE id = :other_team`,
  `INSERT INTO team_role (id, organization_id, name, folded_name, description, permissions,
     capabilities)
   VALUES (:new, :organization, 'new', 'new', '', '{}', '{tools}')`,
  `UPDATE team_role SET permissions = '{}'`,
  `UPDATE team_role SET capabilities = '{}'`,
  `DELETE FROM team_role WHERE id = :unused_team_role`,
  `INSERT INTO team_member (organization_id, team_id, membership_id)
   VALUES (:organization, :other_team, :member)`,
  `DELETE FROM team_member`,
  `INSERT INTO team_member_role (organization_id, team_id, membership_id, role_id, role_owner_id)
   SELECT organization_id, team_id, membership_id, '${TEAM_ADMIN}', organization_id
   FROM team_member`,
  `DELETE FROM team_member_role`,
  `INSERT INTO oauth_connection (id, kind, account_id, organization_id, scopes)
   VALUES (:new, 'delegated', :mia, :organization, '{mcp_tools}')`,
  `UPDATE oauth_connection SET scopes = '{}'`,
  `UPDATE oauth_connection SET follows_teams = NOT follows_teams`,
  `UPDATE oauth_connection SET has_own_authority = true`,
  `UPDATE oauth_connection SET revoked_at = now()`,
  `DELETE FROM oauth_connection`,
  `INSERT INTO oauth_connection_team (connection_id, organization_id, team_id)
   SELECT id, :organization, :team FROM unnest(ARRAY[:connection, :bound_machine]) AS id`,
  `DELETE FROM oauth_connection_team`,
  `WITH left_member AS (DELETE FROM membership WHERE id = :member),
     bindings AS (DELETE FROM api_key_team WHERE key_id = :bound_key)
   DELETE FROM api_key WHERE id = :bound_key`,
  `WITH left_member AS (DELETE FROM membership WHERE id = :member),
     bindings AS (DELETE FROM oauth_connection_team WHERE connection_id = :connection)
   DELETE FROM oauth_connection WHERE id = :connection`,
];

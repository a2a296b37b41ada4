import type { ProjectedTables } from '../../authz/authz.ts';
import { sql } from '../../platform/postgres/database.ts';
import { apiKeys, oauthConnections } from './kinds.ts';
import type { CredentialTable } from './kinds.ts';

type Fragment = ReturnType<typeof sql.fragment>;

/** A kind of credentials, and the columns from which its tuples are made. */
interface CredentialTables extends CredentialTable {
  /** The columns that its triggers record, with their types. */
  columns: Fragment;
  /** Selects the organizations in which a person's credential `c` has tuples. */
  organizations: Fragment;
}

/** Returns the projected tables of credentials and of their bindings to teams. */
function createCredentialTables(kind: CredentialTables): ProjectedTables {
  const objects = createObjects(kind);
  const { ofMembership, ofTeam, ofBinding } = createSeatsOfOthers(kind);
  const bindingColumns = sql.fragment`
    ${sql.identifier([kind.reference])} uuid, organization_id uuid, team_id uuid`;
  return {
    columns: { [kind.table]: kind.columns, [kind.bindings]: bindingColumns },
    slices: [
      ...objects.ofPersonal.map((select) => ({
        ...{ table: kind.table, select },
        when: ({ account_id }: Readonly<Record<string, unknown>>) => account_id !== null,
      })),
      ...objects.ofService.map((select) => ({
        ...{ table: kind.table, select },
        when: ({ account_id }: Readonly<Record<string, unknown>>) => account_id === null,
      })),
      ...ofBinding.map((select) => ({ table: kind.bindings, select })),
      { table: 'membership', select: ofMembership },
      ...ofTeam.map((select) => ({ table: 'team', select })),
    ],
  };
}

/** The objects of touched credentials: where they act, and their seats in teams. */
function createObjects(kind: CredentialTables) {
  const { personal, service } = prefixesOf(kind);
  const { bindings, teams, isMember } = createRows(kind);
  const { memberSeats, serviceSeats } = createSeats(kind);
  const live = sql.fragment`
    (SELECT * FROM ${touched(kind.table)} WHERE revoked_at IS NULL) AS c`;
  const bound = sql.fragment`${live},
    LATERAL ${bindings(sql.fragment`${sql.identifier([kind.reference])} = c.id`)} AS b`;
  // A service that follows all teams has a seat in each, as if it were bound to it.
  const following = sql.fragment`${live}, LATERAL (
    SELECT t.id AS team_id, c.organization_id
    FROM ${teams(sql.fragment`organization_id = c.organization_id`)} AS t
    WHERE c.follows_teams) AS b`;
  return {
    ofPersonal: [
      sql.fragment`SELECT 'account:' || c.account_id, ${personal} || c.id
        FROM ${live} WHERE c.account_id IS NOT NULL`,
      sql.fragment`SELECT 'membership:' || o.id || '.' || c.account_id, ${personal} || c.id
        FROM ${live}, LATERAL (${kind.organizations}) AS o (id)
        WHERE c.account_id IS NOT NULL AND ${isMember(sql.fragment`o.id`)}`,
      memberSeats(bound),
    ],
    ofService: [
      sql.fragment`SELECT 'service:' || c.organization_id || '.' || c.id, ${service} || c.id
        FROM ${live} WHERE c.account_id IS NULL`,
      serviceSeats(bound),
      serviceSeats(following),
    ],
  };
}

/** The seats of credentials that depend on touched bindings, memberships and teams. */
function createSeatsOfOthers(kind: CredentialTables) {
  const reference = sql.identifier([kind.reference]);
  const { credentials, bindings } = createRows(kind);
  const { memberSeats, serviceSeats } = createSeats(kind);
  const touchedBindings = sql.fragment`${touched(kind.bindings)} AS b,
    LATERAL ${credentials(sql.fragment`id = b.${reference}`)} AS c`;
  const touchedTeams = sql.fragment`
    (SELECT id AS team_id, organization_id FROM touched_team WHERE deleted_at IS NULL)`;
  return {
    ofBinding: [memberSeats(touchedBindings), serviceSeats(touchedBindings)],
    // Ending or renewing a membership keeps the seats of its credentials.
    ofMembership: memberSeats(sql.fragment`
      (SELECT * FROM touched_membership WHERE operation <> 'UPDATE') AS m,
      LATERAL ${credentials(sql.fragment`account_id = m.account_id`)} AS c,
      LATERAL ${bindings(
        sql.fragment`${reference} = c.id AND organization_id = m.organization_id`,
      )} AS b`),
    ofTeam: [
      serviceSeats(
        sql.fragment`${touchedTeams} AS b, LATERAL ${credentials(
          sql.fragment`organization_id = b.organization_id AND follows_teams`,
        )} AS c`,
      ),
      serviceSeats(sql.fragment`${touchedTeams} AS t,
        LATERAL ${bindings(sql.fragment`team_id = t.team_id`)} AS b,
        LATERAL ${credentials(sql.fragment`id = b.credential_id`)} AS c`),
    ],
  };
}

/** Creates the selects of tuples on seats, for credentials `c` in the teams of bindings `b`. */
function createSeats(kind: CredentialTables) {
  const { personal, service } = prefixesOf(kind);
  const { teams, isMember } = createRows(kind);
  return {
    memberSeats: (from: Fragment) => sql.fragment`
      SELECT 'team_seat:' || b.team_id || '.' || c.account_id, holder FROM ${from},
        unnest(ARRAY[${personal} || c.id,
          'membership:' || b.organization_id || '.' || c.account_id]) AS holder
      WHERE c.account_id IS NOT NULL AND ${isMember(sql.fragment`b.organization_id`)}`,
    serviceSeats: (from: Fragment) => sql.fragment`
      SELECT 'team_seat:' || b.team_id || '.' || c.id, holder FROM ${from},
        unnest(ARRAY[${service} || c.id,
          'service:' || b.organization_id || '.' || c.id]) AS holder
      WHERE c.account_id IS NULL
        AND EXISTS (SELECT FROM ${teams(sql.fragment`id = b.team_id`)} AS t)`,
  };
}

/** Creates the selects of the rows that meet a condition, stored or touched. */
const createRows = ({ table, bindings, reference }: CredentialTables) => ({
  /** Live credentials. */
  credentials: (condition: Fragment) =>
    eitherOf(
      table,
      sql.fragment`id, account_id, organization_id, follows_teams`,
      sql.fragment`revoked_at IS NULL AND ${condition}`,
    ),
  bindings: (condition: Fragment) =>
    eitherOf(
      bindings,
      sql.fragment`${sql.identifier([reference])} AS credential_id, organization_id, team_id`,
      condition,
    ),
  teams: (condition: Fragment) =>
    eitherOf('team', sql.fragment`id`, sql.fragment`deleted_at IS NULL AND ${condition}`),
  /** Whether the person of credential `c` has a membership, even an ended one. */
  isMember: (organization_id: Fragment) =>
    sql.fragment`EXISTS (SELECT FROM ${eitherOf(
      'membership',
      sql.fragment`id`,
      sql.fragment`organization_id = ${organization_id} AND account_id = c.account_id`,
    )} AS m)`,
});

const touched = (table: string) => sql.identifier([`touched_${table}`]);

const eitherOf = (table: string, columns: Fragment, condition: Fragment) => sql.fragment`
  (SELECT ${columns} FROM ${sql.identifier([table])} WHERE ${condition}
    UNION ALL SELECT ${columns} FROM ${touched(table)} WHERE ${condition})`;

const prefixesOf = ({ personal, service }: CredentialTables) => ({
  personal: `${personal}:`,
  service: `${service}:`,
});

export const keyTables = createCredentialTables({
  ...apiKeys,
  columns: sql.fragment`id uuid, account_id uuid, organization_id uuid, org_scope uuid,
    grants jsonb, follows_teams boolean, revoked_at timestamptz`,
  organizations: sql.fragment`
    SELECT c.org_scope UNION ALL
    SELECT (granted #>> '{scope, org_id}')::uuid FROM jsonb_array_elements(c.grants) AS granted`,
});

export const connectionTables = createCredentialTables({
  ...oauthConnections,
  columns: sql.fragment`id uuid, account_id uuid, organization_id uuid, follows_teams boolean,
    revoked_at timestamptz`,
  organizations: sql.fragment`SELECT c.organization_id`,
});

import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Tuple } from '../../../src/authz/tuple.ts';
import type { Deployment } from '../../support/servers/deployment-on.ts';
import { vacuum } from '../big-store.ts';

/** An organization, and the role that its added members have. */
export interface Filled {
  id: string;
  role_id: string;
}

interface Added {
  number: number;
  account: string;
  membership: string;
  team: string;
  key: string;
}

// The product's limit of 200, minus the team of the measured member.
const MAX_TEAMS = 199;

/**
 * Adds members, each in a team of their own and with a key that follows it, as rows and as the
 * tuples projected from them. Adding ten thousand members through the API would take an hour. No
 * request uses them. OpenFGA gets the seats in all teams, PostgreSQL only as many teams as are
 * allowed.
 */
export async function fillOrganization(
  deployment: Deployment,
  openfgaDatabaseUrl: string,
  { id, role_id }: Filled,
  count: number,
): Promise<void> {
  const added = Array.from({ length: count }, (_, number): Added => ({
    number,
    account: randomUUID(),
    membership: randomUUID(),
    team: randomUUID(),
    key: randomUUID(),
  }));
  const rows = new pg.Client({ connectionString: deployment.databaseUrl });
  const tuples = new pg.Client({ connectionString: openfgaDatabaseUrl });
  await Promise.all([rows.connect(), tuples.connect()]);
  try {
    for (const statement of INSERTS)
      await rows.query(`${ADDED} ${statement}`, [JSON.stringify(added), id, role_id]);
    await insertTuples(tuples, deployment.openfga.storeId, {
      id,
      role_id,
      added,
    });
  } finally {
    await Promise.all([rows.end(), tuples.end()]);
  }
  await vacuum(deployment.databaseUrl);
  await vacuum(openfgaDatabaseUrl);
}

const ADDED = `WITH added AS (
  SELECT *, $2::uuid AS organization, $3::uuid AS role
  FROM jsonb_to_recordset($1::jsonb) AS a (number int, account uuid, membership uuid, team uuid, key uuid))`;

const INSERTS = [
  `INSERT INTO account (id, email) SELECT account, account || '@example.com' FROM added`,
  `INSERT INTO authz_scope (kind, id) SELECT 'account', account FROM added`,
  `INSERT INTO authz_scope (kind, id, organization_id)
   SELECT 'membership', membership, organization FROM added`,
  `INSERT INTO membership (id, organization_id, account_id)
   SELECT membership, organization, account FROM added`,
  `INSERT INTO membership_role (organization_id, membership_id, role_id)
   SELECT organization, membership, role FROM added`,
  `INSERT INTO space (id, kind, account_id, organization_id)
   SELECT membership, 'member', account, organization FROM added`,
  `INSERT INTO team (id, organization_id, name, title, description)
   SELECT team, organization, left('t' || team, 32), '', '' FROM added WHERE number < ${MAX_TEAMS}`,
  `INSERT INTO space (id, kind, organization_id, team_id)
   SELECT team, 'team', organization, team FROM added WHERE number < ${MAX_TEAMS}`,
  `INSERT INTO team_member (organization_id, team_id, membership_id)
   SELECT organization, team, membership FROM added WHERE number < ${MAX_TEAMS}`,
  `INSERT INTO api_key (id, account_id, org_scope, follows_teams, name, secret_hash, secret_prefix,
     grants, mcp_capabilities, tool_policy, resource_policy, prompt_policy, agent_policy)
   SELECT key, account, organization, true, 'key', sha256(key::text::bytea), 'sk_0000',
     '[]', '{tools}', '{"mode":"all"}', '{"mode":"all"}', '{"mode":"all"}', '{"mode":"all"}'
   FROM added`,
];

/** Writes into OpenFGA's database: its API takes a hundred tuples at a time. */
async function insertTuples(
  client: pg.Client,
  storeId: string,
  { id, role_id, added }: Filled & { added: readonly Added[] },
): Promise<void> {
  const written = added.flatMap((one) => tuplesOf(one, id, role_id));
  await client.query(
    `INSERT INTO tuple (store, object_type, object_id, relation, _user, user_type, ulid, inserted_at)
     SELECT $1, split_part(object, ':', 1), split_part(object, ':', 2), relation, "user", 'user',
       upper(left(replace(gen_random_uuid()::text, '-', ''), 26)), now()
     FROM jsonb_to_recordset($2::jsonb) AS t ("user" text, relation text, object text)`,
    [storeId, JSON.stringify(written)],
  );
}

function tuplesOf({ account, team, key }: Added, organization: string, role_id: string): Tuple[] {
  const member = `membership:${organization}.${account}`;
  const seat = `team_seat:${team}.${account}`;
  const tuplesFrom = (user: string, object: string, ...relations: string[]) =>
    relations.map((relation) => ({ user, relation, object }));
  return [
    ...tuplesFrom(`user:${account}`, `account:${account}`, 'session'),
    ...tuplesFrom(`org_role:${role_id}`, member, 'role'),
    ...tuplesFrom(`account:${account}`, member, 'person'),
    ...tuplesFrom(seat, member, 'team_seat'),
    ...tuplesFrom(member, seat, 'joined', 'holder'),
    ...tuplesFrom(`api_key:${key}`, member, 'runs_here', 'follows_teams', 'declared_tools'),
    ...tuplesFrom(`api_key:${key}`, `account:${account}`, 'principal'),
  ];
}

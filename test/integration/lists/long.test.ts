import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listItems } from '../../../src/content/items/store.ts';
import { listUpstreams } from '../../../src/content/upstreams/store.ts';
import { listKeys } from '../../../src/keys/list-keys.ts';
import type { KeyListQuery } from '../../../src/keys/list-keys.ts';
import { listClients } from '../../../src/oauth/clients/store.ts';
import { listConnections } from '../../../src/oauth/connections/management/store.ts';
import { listInvitations } from '../../../src/organizations/invitations/store.ts';
import { listMembers } from '../../../src/organizations/members/list-members.ts';
import type { MemberListQuery } from '../../../src/organizations/members/list-members.ts';
import type { Queryable } from '../../../src/platform/postgres/database.ts';
import { ADMIN, MEMBER } from '../../support/people/organizations.ts';
import { createExplainingQueryable } from '../../support/worlds/explaining-queryable.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { World } from '../../support/worlds/world.ts';

const ROWS = 10_000;
const LIMIT = 20;
// A page, and what its rows refer to: a few rows each.
const MAX_READ = 10 * LIMIT;
// A page that many rows from the beginning costs the same.
const LATE = 2_000;

let world: World;
const person = randomUUID();
const organization = randomUUID();
const [fullTeam, rareTeam] = [randomUUID(), randomUUID()];
beforeAll(async () => {
  world = await createWorld();
  await world.query('INSERT INTO account (id) VALUES ($1)', [person]);
  await fillPerson();
  await fillOrganization();
  await fillCredentials('account_id', person);
  await fillCredentials('organization_id', organization);
  await bindKeys();
  await world.query('ANALYZE');
}, 120_000);
afterAll(() => world.close());

const series = `generate_series(1, ${ROWS}) AS n`;
// Half of the names begin with "al", one in a thousand with "rare".
const name = `CASE WHEN n % 1000 = 0 THEN 'Rare' WHEN n % 2 = 0 THEN 'Al' ELSE 'Zo' END || n`;
// Half were used in the last day, one in a thousand not for a year.
const used = `now() - CASE WHEN n % 1000 = 0 THEN interval '400 days'
  WHEN n % 2 = 0 THEN interval '1 hour' ELSE interval '20 days' END`;

async function fillPerson() {
  await world.query(`INSERT INTO space (id, kind, account_id) VALUES ($1, 'personal', $1)`, [
    person,
  ]);
  await world.query(
    `INSERT INTO item (id, space_id, family, name, version, head)
     SELECT gen_random_uuid(), $1, 'resource', ${name}, 1, '{}' FROM ${series}`,
    [person],
  );
  await world.query(
    `INSERT INTO upstream (id, space_id, name, url, header_names, headers)
     SELECT gen_random_uuid(), $1, ${name}, 'https://example.com', '{}', '' FROM ${series}`,
    [person],
  );
}

async function fillOrganization() {
  await world.query(`INSERT INTO organization (id, name) VALUES ($1, 'Acme')`, [organization]);
  await world.query(
    `INSERT INTO team (id, organization_id, name, title, description)
     VALUES ($2, $1, 'all', 'All', ''), ($3, $1, 'few', 'Few', '')`,
    [organization, fullTeam, rareTeam],
  );
  await world.query(
    `WITH person AS (
       INSERT INTO account (id, email, first_name)
       SELECT gen_random_uuid(), lower(${name}) || '@example.com', ${name} FROM ${series}
       RETURNING id
     ), member AS (
       INSERT INTO membership (id, organization_id, account_id)
       SELECT gen_random_uuid(), $1, id FROM person RETURNING id
     )
     INSERT INTO authz_scope (kind, id, organization_id) SELECT 'membership', id, $1 FROM member`,
    [organization],
  );
  for (const [role_id, team_id, every] of [
    [MEMBER, fullTeam, 1],
    [ADMIN, rareTeam, 1000],
  ]) {
    const some = `SELECT id, row_number() OVER () AS n FROM membership WHERE organization_id = $1`;
    await world.query(
      `INSERT INTO membership_role (organization_id, membership_id, role_id)
       SELECT $1, id, $2 FROM (${some}) m WHERE n % $3 = 0`,
      [organization, role_id, every],
    );
    await world.query(
      `INSERT INTO team_member (organization_id, membership_id, team_id)
       SELECT $1, id, $2 FROM (${some}) m WHERE n % $3 = 0`,
      [organization, team_id, every],
    );
  }
  await world.query(
    `INSERT INTO organization_invitation (id, organization_id, email, email_id)
     SELECT gen_random_uuid(), $1, lower(${name}) || '@example.com', gen_random_uuid()
     FROM ${series}`,
    [organization],
  );
}

/** Adds keys, clients and connections that belong to the person or to the organization. */
async function fillCredentials(owner: 'account_id' | 'organization_id', id: string) {
  await world.query(
    `INSERT INTO api_key (id, ${owner}, name, secret_hash, secret_prefix, grants,
       mcp_capabilities, tool_policy, resource_policy, prompt_policy, agent_policy, last_used_at)
     SELECT gen_random_uuid(), $1, ${name}, sha256(convert_to('${owner}' || n, 'utf8')), 'sk_', '[]',
       '{}', '{"mode": "all"}', '{"mode": "all"}', '{"mode": "all"}', '{"mode": "all"}', ${used}
     FROM ${series}`,
    [id],
  );
  await world.query(
    `INSERT INTO oauth_client (id, ${owner}, name, type, grant_types, redirect_uris, allowed_scopes)
     SELECT gen_random_uuid(), $1, ${name}, 'public', '{}', '{}', '{}' FROM ${series}`,
    [id],
  );
  await world.query(
    `INSERT INTO oauth_connection (id, kind, client_id, account_id, organization_id, scopes,
       activated_at, last_used_at)
     SELECT gen_random_uuid(), 'delegated', (SELECT id FROM oauth_client WHERE ${owner} = $1
       LIMIT 1), $2, $3, '{}', now(), ${used} FROM ${series}`,
    [id, person, owner === 'account_id' ? null : id],
  );
}

const bindKeys = () =>
  world.query(
    `INSERT INTO api_key_team (key_id, organization_id, team_id)
     SELECT id, $1, CASE WHEN row_number() OVER () % 1000 = 0 THEN $3::uuid ELSE $2::uuid END
     FROM api_key WHERE organization_id = $1`,
    [organization, fullTeam, rareTeam],
  );

type Read = (
  db: Queryable,
  query: KeyListQuery & MemberListQuery,
) => Promise<readonly { position: string }[]>;
const account = { kind: 'account', id: person } as const;
const company = { kind: 'organization', id: organization } as const;

const byName = [{}, { q: 'al' }, { q: 'rare' }, { q: 'none' }, { sort: 'name' }] as const;
const byUse = [{ unused_days: 1 }, { unused_days: 365 }, { sort: 'last_used_at' }] as const;
const byTeam = [{ team_id: fullTeam }, { team_id: rareTeam }];
const byRole = [{ role_id: MEMBER }, { role_id: ADMIN }];
const search = [{}, { q: 'al' }, { q: 'rare' }, { q: 'none' }];

const lists: Record<string, readonly [Read, readonly object[]]> = {
  items: [(at, query) => listItems(at, { space_id: person, family: 'resource' }, query), byName],
  upstreams: [(at, query) => listUpstreams(at, person, query), byName],
  'keys of a person': [(at, query) => listKeys(at, account, query), [...byName, ...byUse]],
  'keys of an organization': [
    (at, query) => listKeys(at, company, query),
    [...byName, ...byUse, ...byTeam],
  ],
  'clients of a person': [(at, query) => listClients(at, account, query), byName],
  'clients of an organization': [(at, query) => listClients(at, company, query), byName],
  'connections of a person': [(at, query) => listConnections(at, account, query), byUse],
  'connections of an organization': [(at, query) => listConnections(at, company, query), byUse],
  invitations: [(at, query) => listInvitations(at, organization, query), search],
  members: [(at, query) => listMembers(at, organization, query), [...search, ...byTeam, ...byRole]],
};
const cases = Object.entries(lists).flatMap(([list, [read, queries]]) =>
  queries.map((query) => ({ list, query, read })),
);

/** Returns the position after so many rows; undefined if there are fewer. */
const positionAfter = async (rows: number, read: Read, query: object) =>
  (await read(createExplainingQueryable(world).db, { limit: rows, ...query }))[rows]?.position;

test.each(cases)(
  `a page of ${ROWS} $list with $query reads no more than a page`,
  async ({ query, read }) => {
    const { scans, db } = createExplainingQueryable(world);
    const first = await read(db, { limit: LIMIT, ...query });
    const cursor = first.at(-1)?.position;
    const next = cursor ? await read(db, { limit: LIMIT, ...query, cursor }) : [];
    const late = await positionAfter(LATE, read, query);
    if (late !== undefined) await read(db, { limit: LIMIT, ...query, cursor: late });

    const most = scans.toSorted((a, b) => b.rows - a.rows)[0];
    expect(most?.rows, JSON.stringify(most)).toBeLessThanOrEqual(MAX_READ);
    const positions = [...first, ...next].map(({ position }) => position);
    expect(new Set(positions).size).toBe(positions.length);
  },
);

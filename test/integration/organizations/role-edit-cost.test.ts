import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLinks } from '../../support/histories/nemesis.ts';
import { askAs, createOrganization, createRole } from '../../support/people/organizations.ts';
import { signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createTeam, createTeamRole } from '../../support/people/teams.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { World } from '../../support/worlds/world.ts';

const FEW = 10;
const MANY = 10_000;
const EDITS = 8;
// Statements of the worker that fall into every edit on a slow machine; holders would add thousands.
const BACKGROUND = 5;

let world: World;
let owner: SignedUp;
let links: Awaited<ReturnType<typeof createLinks>>;
/** Checks and Writes that OpenFGA was asked for so far. */
const openfga = { checks: 0, writes: 0 };
beforeAll(async () => {
  world = await createWorld();
  links = await createLinks(world.env);
  links.links.openfga.watch((chunk) => {
    if (chunk.includes('check HTTP/')) openfga.checks += 1;
    if (chunk.includes('/write HTTP/')) openfga.writes += 1;
  });
  const gateway = await world.gateway({ env: links.env });
  owner = await signUp(world, gateway, 'owner');
  await world.query("UPDATE account SET plan = 'enterprise' WHERE id = $1", [owner.account_id]);
});
afterAll(async () => {
  await world?.close();
  await links?.close();
});

/** Adds members that hold a role of the organization and one of a team, as rows. */
const addHolders = (count: number, ...ids: [organization: string, role: string, ...string[]]) =>
  world.query(
    `WITH account_scope AS (
       INSERT INTO authz_scope (kind, id)
       SELECT 'account', gen_random_uuid() FROM generate_series(1, ${count}) RETURNING id
     ), person AS (
       INSERT INTO account (id) SELECT id FROM account_scope RETURNING id
     ), scope AS (
       INSERT INTO authz_scope (kind, id, organization_id)
       SELECT 'membership', gen_random_uuid(), $1 FROM person RETURNING id
     ), holder AS (
       INSERT INTO membership (id, organization_id, account_id)
       SELECT s.id, $1, p.id FROM (SELECT id, row_number() OVER () AS n FROM scope) s
       JOIN (SELECT id, row_number() OVER () AS n FROM person) p USING (n) RETURNING id
     ), given AS (
       INSERT INTO membership_role (organization_id, membership_id, role_id)
       SELECT $1, id, $2 FROM holder
     ), seat AS (
       INSERT INTO team_member (organization_id, team_id, membership_id)
       SELECT $1, $3, id FROM holder
     )
     INSERT INTO team_member_role (organization_id, team_id, membership_id, role_id, role_owner_id)
     SELECT $1, $3, id, $4, $1 FROM holder`,
    ids,
  );

/** Creates an organization with as many holders of two roles; returns the paths of the roles. */
async function createHeld(count: number) {
  const { id } = await createOrganization(owner, `Acme ${count}`);
  const path = `/api/organizations/${id}`;
  const team = await createTeam(owner, id, 'red');
  const capabilities = ['tools'];
  const role = await createRole(owner, id, { name: 'Held', capabilities });
  const teamRole = await createTeamRole(owner, `${path}/team-roles`, { name: 'Of', capabilities });
  await addHolders(count, id, role.id, team.id, teamRole.id);
  return { id, paths: [`${path}/roles/${role.id}`, `${path}/team-roles/${teamRole.id}`] as const };
}

/**
 * Returns the cost of an edit that changes three tuples: the least of several edits, since other work
 * of the gateway is counted too.
 */
async function costOf({ id, path }: { id: string; path: string }) {
  const costs: Record<'sql' | 'checks' | 'writes', number>[] = [];
  let members: number | undefined;
  for (let edit = 0; edit < EDITS; edit += 1) {
    const body = { capabilities: edit % 2 === 0 ? ['prompts', 'resources'] : ['tools'] };
    const before = { sql: links.links.postgres.requests(), ...openfga };
    const answer = await askAs<{ members: number }>(owner, { method: 'PATCH', path, body });
    expect(answer.status).toBe(200);
    ({ members } = answer.body);
    costs.push({
      sql: links.links.postgres.requests() - before.sql,
      checks: openfga.checks - before.checks,
      writes: openfga.writes - before.writes,
    });
  }
  const least = (of: keyof (typeof costs)[number]) => Math.min(...costs.map((cost) => cost[of]));
  const tuples = await world.query<{ tuples: number; scopes: number }>(
    `SELECT sum(jsonb_array_length(deletes) + jsonb_array_length(writes))::int AS tuples,
       (SELECT count(*) FROM authz_scope WHERE organization_id = $1 AND revision > 0)::int AS scopes
     FROM (SELECT * FROM authz_outbox WHERE id = $1 ORDER BY position DESC LIMIT ${EDITS}) edits`,
    [id],
  );
  return {
    members,
    cost: {
      ...{ sql: least('sql'), checks: least('checks'), writes: least('writes') },
      ...tuples[0],
    },
  };
}

test.each([
  ['a role', 0],
  ['a team role', 1],
] as const)(
  'editing %s takes as many SQL statements, OpenFGA requests and tuples with 10,000 holders as with 10',
  async (_, which) => {
    const [few, many] = [await createHeld(FEW), await createHeld(MANY)];
    const small = await costOf({ id: few.id, path: few.paths[which] });
    const large = await costOf({ id: many.id, path: many.paths[which] });

    expect([small.members, large.members]).toEqual([FEW, MANY]);
    expect(small.cost.writes).toBe(1);
    expect(small.cost.tuples).toBe(EDITS * 3);
    const { sql: smallSql, ...smallRest } = small.cost;
    const { sql: largeSql, ...largeRest } = large.cost;
    expect(largeRest).toEqual(smallRest);
    expect(largeSql - smallSql).toBeLessThan(BACKGROUND);
  },
);

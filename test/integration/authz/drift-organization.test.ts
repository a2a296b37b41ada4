import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createEngine } from '../../../src/authz/engine/client.ts';
import { deployModel } from '../../../src/authz/engine/deploy.ts';
import { schemaOf, typeOf } from '../../../src/authz/decisions/evaluator.ts';
import { loadModel } from '../../../src/authz/engine/model.ts';
import { capabilities } from '../../../src/authz/permissions.ts';
import { tupleKey } from '../../../src/authz/tuple.ts';
import type { Tuple } from '../../../src/authz/tuple.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { createDatabase } from '../../../src/platform/postgres/database.ts';
import { projections } from '../../../src/projection.ts';
import { names } from '../../support/access/permissions.ts';
import { askAs, at, createRole, driftOf } from '../../support/people/organizations.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createTeam, createTeamRole, seatsOf } from '../../support/people/teams.ts';
import { scopedKeys } from '../keys/scoped-keys.ts';
import type { Key } from '../keys/scoped-keys.ts';

const CLI = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));

const address = () => ({
  apiUrl: teams.world.env['OPENFGA_API_URL']!,
  apiToken: teams.world.env['OPENFGA_API_TOKEN'],
  storeId: teams.world.env['OPENFGA_STORE_ID']!,
});
const keys = scopedKeys(() => uncached);

const grantsOf = (org_id: string, ...permissions: readonly string[]) => [
  { scope: { type: 'org', org_id }, permissions },
];

const teams = await useTeams();
// Decides every request from the tuples, so that planted ones take effect at once.
const uncached = await teams.world.gateway({ env: { AUTHZ_CACHE: 'off' } });
const url = teams.gateway.config.DATABASE_URL;
const database = await closeAfterTests(createDatabase({ url, onIdleError: () => {} }));
const [deployment] = await teams.world.query<{ model_id: string }>(
  'SELECT model_id FROM authz_deployment',
);
const engine = createEngine({ ...address(), modelId: deployment!.model_id });
const acme = await createAcme();

async function createKey(who: SignedUp, fields: object, keysPath = '/api/keys'): Promise<Key> {
  const { status, body } = await keys.create(who, { ...fields }, keysPath);
  expect(status).toBe(201);
  return body;
}

/** Creates a member with a role and a seat, keys of the member, and a key of the organization. */
async function createAcme() {
  const { id, owner, team, path: red, add } = await teams.organization();
  const blue = await createTeam(owner, id, 'blue');
  const path = `/api/organizations/${id}`;
  const roleFor = async (name: string) => ({
    organization: await createRole(owner, id, {
      ...{ name, permissions: [`can_view_organization_${name}`] },
    }),
    team: await createTeamRole(owner, `${path}/team-roles`, {
      ...{ name, permissions: [`can_view_team_${name}`] },
    }),
  });
  const [role, otherRole] = [await roleFor('members'), await roleFor('roles')];
  const mia = await teams.join(id, 'mia', [role.organization.id]);
  await add(owner, mia, [role.team.id]);
  await seatsOf(id, blue.id).add(owner, mia, [role.team.id]);
  const grants = grantsOf(id, 'can_view_team_members');
  const bound = await createKey(mia, { grants, org_scope: id, team_ids: [team.id] });
  const elsewhere = await createKey(mia, { grants, org_scope: id, team_ids: [blue.id] });
  const owned = await createKey(
    owner,
    {
      ...{ team_ids: [team.id], mcp_capabilities: ['tools'] },
      grants: grantsOf(id, 'can_view_organization_members', 'can_view_team_members'),
    },
    `${path}/keys`,
  );
  return { id, path, owner, mia, team, red, blue, role, otherRole, bound, elsewhere, owned };
}

/** By object: a tuple that its rows imply, and one that they do not. */
function faultsIn(world: typeof acme) {
  const { id, mia, team, blue, role, otherRole, bound, elsewhere, owned } = world;
  const membership = `membership:${id}.${mia.account_id}`;
  const seat = `team_seat:${team.id}.${mia.account_id}`;
  const ofKey = (team_id: string) => `team_seat:${team_id}.${owned.id}`;
  const service = `service:${id}.${owned.id}`;
  const flag = (object: string, relation: string) => tuple(object, relation, 'everyone:live#any');
  const [orgRole, seatRole] = [`org_role:${role.organization.id}`, `team_role:${role.team.id}`];
  const missing = [
    tuple(membership, 'role', orgRole),
    tuple(seat, 'role', seatRole),
    tuple(seat, 'bound', `api_key:${bound.id}`),
    tuple(ofKey(team.id), 'bound', `org_key:${owned.id}`),
    tuple(service, 'declared_tools', `org_key:${owned.id}`),
    flag(orgRole, 'members_read'),
    flag(seatRole, 'members_read'),
  ];
  const extra = [
    tuple(membership, 'role', `org_role:${otherRole.organization.id}`),
    tuple(seat, 'role', `team_role:${otherRole.team.id}`),
    tuple(seat, 'bound', `api_key:${elsewhere.id}`),
    tuple(ofKey(team.id), 'role', seatRole),
    tuple(service, 'carried_roles_read', `org_key:${owned.id}`),
    flag(orgRole, 'roles_read'),
    flag(seatRole, 'roles_read'),
    // The seat of a key in a team that it is not bound to has no row at all.
    tuple(ofKey(blue.id), 'holder', service),
    tuple(ofKey(blue.id), 'bound', `org_key:${owned.id}`),
  ];
  return { missing, extra };
}

const tuple = (object: string, relation: string, user: string): Tuple => ({
  ...{ user, relation, object },
});

/** Returns the decisions that depend on the tuples: statuses, and the outcome of a tool call. */
async function decisions({ path, red, mia, bound, elsewhere, owned, owner }: typeof acme) {
  const member = at(mia, uncached);
  const read = async (part: string) => (await askAs(member, { path: part })).status;
  const readWith = async (key: Key, part: string) =>
    (await keys.rest(at(owner, uncached), key, { path: part })).status;
  return {
    'the member reads members and roles': [
      await read(`${path}/members`),
      await read(`${path}/roles`),
    ],
    'the member reads the team’s members and roles': [
      await read(`${red}/members`),
      await read(`${red}/roles`),
    ],
    'the member’s keys read the team’s members': [
      await readWith(bound, `${red}/members`),
      await readWith(elsewhere, `${red}/members`),
    ],
    'the organization’s key reads the members of its team': await readWith(owned, `${red}/members`),
    'the organization’s key reads members and roles': [
      await readWith(owned, `${path}/members`),
      await readWith(owned, `${path}/roles`),
    ],
    'the organization’s key calls a tool': await keys.call(owned.secret),
  };
}

/** Runs `toolgate drift --repair` as an operator would. */
async function repairDrift() {
  const env = { PATH: process.env['PATH'], ...teams.world.env };
  const { promise, resolve } = Promise.withResolvers<{ code: unknown; lines: string[] }>();
  execFile(process.execPath, [CLI, 'drift', '--repair'], { env }, (error, stdout, stderr) =>
    resolve({ code: error?.code ?? 0, lines: `${stdout}${stderr}`.trimEnd().split('\n') }),
  );
  return promise;
}

const sorted = (lines: readonly string[]) => lines.toSorted();

test('drift --repair reports and repairs missing and extra tuples of members, seats, keys and roles', async () => {
  const { missing, extra } = faultsIn(acme);
  const right = await decisions(acme);
  expect(await driftOf(teams.gateway)).toEqual([]);
  await engine.write({ deletes: missing, writes: extra });
  const wrong = await decisions(acme);

  const { code, lines } = await repairDrift();

  expect(code).toBe(0);
  expect(sorted(lines.filter((line) => line.startsWith('  ')))).toEqual(
    sorted([
      ...missing.map((one) => `  missing  ${tupleKey(one)}`),
      ...extra.map((one) => `  extra    ${tupleKey(one)}`),
    ]),
  );
  const scopes = lines.filter((line) => !line.startsWith('  ')).slice(0, -1);
  expect(scopes).toHaveLength(4);
  for (const scope of scopes) expect(scope).toMatch(/ \(repaired\)$/);
  expect(await driftOf(teams.gateway)).toEqual([]);
  expect(await decisions(acme)).toEqual(right);
  expect(right).toEqual({
    'the member reads members and roles': [200, 403],
    'the member reads the team’s members and roles': [200, 403],
    'the member’s keys read the team’s members': [200, 404],
    'the organization’s key reads the members of its team': 200,
    'the organization’s key reads members and roles': [200, 403],
    'the organization’s key calls a tool': 'tool_not_permitted',
  });
  expect(wrong).toEqual({
    'the member reads members and roles': [403, 200],
    'the member reads the team’s members and roles': [403, 200],
    // The second key is active in the team, where its person lost the role.
    'the member’s keys read the team’s members': [404, 403],
    'the organization’s key reads the members of its team': 404,
    'the organization’s key reads members and roles': [200, 200],
    'the organization’s key calls a tool': 'capability_denied',
  });
}, 120_000);

const versions: Record<string, number> = { ...projections.versions };
/** Deploys the model with these versions of the projections, as a new release would. */
const deploy = () =>
  deployModel(database, address(), {
    log: createLog('silent'),
    projections: { ...projections, versions: { ...versions } },
  });

/** Returns how many changes deployments have made, by kind of scope. */
async function countDeployChanges(): Promise<Record<string, number>> {
  const rows = await teams.world.query<{ kind: string; count: number }>(
    `SELECT kind, count(*)::int FROM authz_outbox
     WHERE reason = 'deploy' AND kind <> 'platform' GROUP BY kind`,
  );
  return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]));
}

test.each(Object.keys(projections.versions))(
  'a new version of the projection of %s writes the tuples that objects of all types lack',
  async (type) => {
    const { missing } = faultsIn(acme);
    const account = tuple(
      `account:${acme.mia.account_id}`,
      'session',
      `user:${acme.mia.account_id}`,
    );
    const lacking = [account, ...missing];
    expect(new Set(lacking.map(({ object }) => object.slice(0, object.indexOf(':'))))).toEqual(
      new Set(Object.keys(projections.versions)),
    );
    await engine.write({ deletes: lacking, writes: [] });
    const before = await countDeployChanges();

    await deploy();
    expect(await driftOf(teams.gateway), 'the same versions change nothing').not.toEqual([]);
    versions[type]! += 1;
    await deploy();

    expect(await driftOf(teams.gateway)).toEqual([]);
    const kinds = ['account', 'membership', 'organization', 'service'];
    expect(await countDeployChanges()).toEqual(
      Object.fromEntries(kinds.map((kind) => [kind, (before[kind] ?? 0) + 1])),
    );
  },
);

// Written once OAuth clients exist: connections, among them those with frozen authority, and
// client credentials.
const isOfOAuth = (name: string) => /@(connection|machine)$/.test(name);

test('every relation of the model is written for every type of subject that it takes, except those of OAuth', async () => {
  const { id, path, owner } = acme;
  const mcp_capabilities = [...capabilities];
  const grants = grantsOf(id, ...names.organization, ...names.team);
  const personal = [{ scope: { type: 'personal' }, permissions: [...names.personal] }];
  await createKey(owner, { mcp_capabilities, grants: personal });
  await createKey(owner, { mcp_capabilities, grants, org_scope: id });
  await createKey(owner, { mcp_capabilities, grants }, `${path}/keys`);
  const role = { name: 'Agents', capabilities: mcp_capabilities };
  await createTeamRole(owner, `${path}/team-roles`, role);

  const tuples = (await Array.fromAsync(engine.readAll())).flat();

  const kindOf = (user: string) =>
    user.endsWith(':*') ? user : [typeOf(user), ...user.split('#').slice(1)].join('#');
  const written = new Set(
    tuples.map(({ user, relation, object }) => `${typeOf(object)}#${relation}@${kindOf(user)}`),
  );
  const taken = [...schemaOf(await loadModel())].flatMap(([type, relations]) =>
    [...relations].flatMap(([relation, { subjects }]) =>
      [...subjects].map((subject) => `${type}#${relation}@${subject}`),
    ),
  );
  expect(taken.filter(isOfOAuth).length).toBeGreaterThan(0);
  expect([...written].toSorted()).toEqual(taken.filter((name) => !isOfOAuth(name)).toSorted());
});

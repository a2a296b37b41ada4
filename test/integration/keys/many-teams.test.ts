import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLinks } from '../../support/histories/nemesis.ts';
import { names } from '../../support/access/permissions.ts';
import { at, createRole, outcomeOf } from '../../support/people/organizations.ts';
import type { Errors } from '../../support/people/organizations.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createTeam, createTeamsWorld, seatsOf, TEAM_ADMIN } from '../../support/people/teams.ts';
import type { TeamsWorld } from '../../support/people/teams.ts';

const TEAMS = 12;

let teams: TeamsWorld;
let links: Awaited<ReturnType<typeof createLinks>>;
let acme: Awaited<ReturnType<TeamsWorld['organization']>>;
/** Manages keys, and is team_admin of every team, without the permission to manage all of them. */
let mia: SignedUp;
const team_ids: string[] = [];
/** BatchChecks that the gateway has sent. */
let batches = 0;
beforeAll(async () => {
  teams = await createTeamsWorld();
  links = await createLinks(teams.world.env);
  links.links.openfga.watch((chunk) => {
    if (chunk.includes('batch-check HTTP/')) batches += 1;
  });
  acme = await teams.organization();
  const permissions = ['can_update_organization_teams', 'can_create_organization_api_keys'];
  const role = await createRole(acme.owner, acme.id, { name: 'Keeper', permissions });
  mia = await teams.join(acme.id, 'mia', [role.id]);
  for (let index = 0; index < TEAMS; index += 1)
    team_ids.push((await createTeam(mia, acme.id, `team-${index}`)).id);
  const env = { ...links.env, OPENFGA_DEADLINE_MS: '5000' };
  mia = at(mia, await teams.world.gateway({ env }));
}, 120_000);
afterAll(async () => {
  await teams?.close();
  await links?.close();
});

/** Creates a key with every permission in every team. */
const createKey = () =>
  mia.person.ask<Errors>({
    path: `/api/organizations/${acme.id}/keys`,
    headers: mia.bearer,
    body: {
      ...{ name: 'ci', mcp_capabilities: [], team_ids },
      grants: [{ scope: { type: 'org', org_id: acme.id }, permissions: names.team }],
    },
  });

test('a permission that is missing in the first team is not checked in the others', async () => {
  const first = seatsOf(acme.id, team_ids[0]!);
  await first.setRoles(acme.owner, mia, []);
  const before = batches;

  const answer = await createKey();

  expect(outcomeOf(answer)).toEqual([422, 'permission_not_held']);
  expect(batches - before).toBeLessThanOrEqual(4);
}, 60_000);

test('a permission that is missing in one of many teams is not granted, whichever team it is (G2)', async () => {
  const setRoles = (index: number, role_ids: string[]) =>
    seatsOf(acme.id, team_ids[index]!).setRoles(acme.owner, mia, role_ids);
  await setRoles(0, [TEAM_ADMIN]);

  for (const index of [1, TEAMS - 2, TEAMS - 1]) {
    await setRoles(index, []);
    expect(outcomeOf(await createKey())).toEqual([422, 'permission_not_held']);
    await setRoles(index, [TEAM_ADMIN]);
  }
  expect((await createKey()).status).toBe(201);
}, 60_000);

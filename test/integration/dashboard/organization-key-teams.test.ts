import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from '../../support/people/browser.ts';
import { openAs } from '../../support/people/dashboard.ts';
import {
  askAs,
  createJoins,
  createOrganization,
  createRole,
} from '../../support/people/organizations.ts';
import type { Joins } from '../../support/people/organizations.ts';
import { ownAddresses, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createTeam, createTeamRole, seatsOf } from '../../support/people/teams.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';

let world: World;
let gateway: Gateway;
let joins: Joins;
let ada: SignedUp;
let id: string;
let team: { id: string };
beforeAll(async () => {
  world = await createWorld(ownAddresses);
  gateway = await world.gateway();
  joins = await createJoins(gateway);
  ada = await signUp(world, gateway, 'ada');
  ({ id } = await createOrganization(ada));
  team = await createTeam(ada, id, 'release');
});
afterAll(async () => {
  await joins?.close();
  await world?.close();
});

const inside = (rest: string) => `/app/org/${id}${rest}`;
const api = (rest: string) => `/api/organizations/${id}${rest}`;

describeInBrowser('keys in teams of an organization', (browser) => {
  test('a person whose roles give capabilities only in teams is told to choose a team first', async () => {
    const maker = await createRole(ada, id, {
      ...{ name: 'Key maker', permissions: ['can_create_organization_api_keys'] },
    });
    const cleo = await signUp(world, gateway, 'cleo');
    await joins.add(id, cleo, [maker.id]);
    const user = await createTeamRole(ada, api('/team-roles'), {
      ...{ name: 'User', capabilities: ['tools', 'resources', 'prompts', 'agents'] },
    });
    await seatsOf(id, team.id).add(ada, cleo, [user.id]);
    const { page, errors } = await openAs(browser(), gateway, cleo);
    await page.goto(inside('/keys/new'));
    await page.getByText('Choose a team first').waitFor();
    expect(await page.getByText('This cannot be saved yet').count()).toBe(0);
    await page.getByRole('checkbox', { name: 'release' }).check();
    await page.getByText('Choose a team first').waitFor({ state: 'detached' });
    await page.getByLabel('Name').fill('of a team');
    await page.getByRole('button', { name: 'Create key', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Secret of the key').waitFor();
    expect(errors).toEqual([]);
  });

  test('an item that no team admits is explained with the teams, each with its policies', async () => {
    await askAs(ada, {
      ...{ method: 'PUT', path: api(`/teams/${team.id}/policies/resource`) },
      body: { mode: 'whitelist', patterns: ['other/**'] },
    });
    const item = await askAs<{ id: string }>(ada, {
      ...{ path: api('/resources'), body: { path: 'kept', text: 'Text.' } },
    });
    const key = await askAs<{ id: string }>(ada, {
      path: api('/keys'),
      body: { name: 'asking', mcp_capabilities: ['resources'], team_ids: [team.id] },
    });
    const { page } = await openAs(browser(), gateway, ada);
    await page.goto(
      inside(`/keys/${key.body.id}?tab=explain&family=resource&item=${item.body.id}`),
    );
    await page.getByText('No policy of these teams admits it:').waitFor();
    await page.getByText('The key’s own policy').waitFor();
    expect(await page.getByRole('link', { name: 'Change this' }).count()).toBe(0);
    await page.getByRole('link', { name: 'release' }).click();
    await page.waitForURL(`**${inside(`/teams/${team.id}`)}?tab=policies`);
  });
});

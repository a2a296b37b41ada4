import { expect, test } from 'vitest';
import { createOrganization } from '../../support/people/organizations.ts';
import { createKey, signUp } from '../../support/people/people.ts';
import { createTeam, seatsOf } from '../../support/people/teams.ts';
import { useProxiedGateway } from '../../support/worlds/use-proxied-gateway.ts';
import { create } from './content-items.ts';
import { createAgent } from './union.ts';

const TEAMS = 8;
// Enough lists that at least one is measured without queries of background jobs.
const LISTS = 5;

const {
  world,
  gateway,
  proxy: postgres,
} = await useProxiedGateway('DATABASE_URL', { AUTHZ_CACHE: 'on' });
const owner = await signUp(world, gateway, 'owner');
const acme = (await createOrganization(owner)).id;

/** Returns the number of SQL queries that a list takes if none of its content is cached. */
async function countQueries(secret: string): Promise<number> {
  const agent = createAgent(gateway, secret);
  const costs: number[] = [];
  for (let list = 0; list < LISTS; list += 1) {
    await world.query('UPDATE authz_scope SET content = content + 1');
    const before = postgres.requests();
    await agent.send('tools/list');
    costs.push(postgres.requests() - before);
  }
  return Math.min(...costs);
}

test('a tool list takes as many SQL queries for many teams as for one, even if nothing is cached', async () => {
  const createTeamWithTool = async (name: string) => {
    const { id } = await createTeam(owner, acme, name);
    expect((await create(owner, seatsOf(acme, id).path, 'custom-tools')).status).toBe(201);
    return id;
  };
  const ids: string[] = [];
  for (let index = 0; index < TEAMS; index += 1) ids.push(await createTeamWithTool(`team${index}`));
  const createKeyFor = (team_ids: string[]) =>
    createKey(owner, { org_scope: acme, mcp_capabilities: ['tools'], team_ids });
  const oneTeamKey = await createKeyFor(ids.slice(0, 1));
  const allTeamsKey = await createKeyFor(ids);
  const { body } = await createAgent(gateway, allTeamsKey.secret).send('tools/list');
  const listed = (body.result as unknown as { tools: { name: string }[] }).tools;
  expect(listed.filter(({ name }) => name.endsWith('__guide'))).toHaveLength(TEAMS);

  expect(await countQueries(allTeamsKey.secret)).toBe(await countQueries(oneTeamKey.secret));
});

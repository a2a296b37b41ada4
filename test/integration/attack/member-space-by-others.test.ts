import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { askAs, createRole } from '../../support/people/organizations.ts';
import { createKey } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { create, draftOf, FAMILIES } from '../organizations/content-items.ts';
import type { FamilyPath } from '../organizations/content-items.ts';
import { CAPABILITIES, createAgent } from '../organizations/union.ts';

const teams = await useTeams();
const acme = await teams.organization();
const organization = `/api/organizations/${acme.id}`;
const role = { name: 'Agents', capabilities: CAPABILITIES };
const agents = await createRole(acme.owner, acme.id, role);
const mia = await teams.join(acme.id, 'mia', [agents.id]);
const bob = await teams.join(acme.id, 'bob', [agents.id]);
await acme.add(acme.owner, mia);
await acme.add(acme.owner, bob);
const ids: Record<FamilyPath, string> = Object.fromEntries(
  await Promise.all(
    FAMILIES.map(async (family) => [
      family,
      (await create(mia, `${organization}/me`, family)).body.id,
    ]),
  ),
) as typeof ids;

const itemsOfMia = async () => {
  const lists = FAMILIES.map((family) => askAs(mia, { path: `${organization}/me/${family}` }));
  return (await Promise.all(lists)).map(({ body }) => body);
};
const orgKey = async (who: SignedUp) =>
  (await createKey(who, { org_scope: acme.id, mcp_capabilities: CAPABILITIES })).secret;

test.each<[string, () => SignedUp, string[]]>([
  ['the Owner', () => acme.owner, ['me', '', 'team', 'personal']],
  ['another member', () => bob, ['me', 'personal']],
  ['the member, outside the own space in the organization', () => mia, ['personal']],
])(
  '%s can neither read nor change items of a member’s own space by their ids, through any space',
  async (_who, caller, spaces) => {
    const paths: Record<string, string> = {
      ...{ me: `${organization}/me`, '': organization, team: acme.path, personal: '/api/me' },
    };
    const before = await itemsOfMia();

    for (const space of spaces)
      for (const family of FAMILIES) {
        const [id, path] = [ids[family], `${paths[space]}/${family}`];
        const unknown = randomUUID();
        for (const [method, below, body] of [
          ['GET', '', undefined],
          ['GET', '/versions', undefined],
          ['GET', '/versions/1', undefined],
          ['PATCH', '', { description: 'taken over' }],
          ['POST', '/versions/1/restore', undefined],
          ['DELETE', '', undefined],
        ] as const) {
          const send = (item: string) =>
            askAs(caller(), {
              ...{ method, path: `${path}/${item}${below}` },
              ...(body === undefined ? {} : { body }),
            });
          const [foreign, absent] = [await send(id), await send(unknown)];
          expect([method, path, below, foreign.status]).toEqual([method, path, below, 404]);
          expect(foreign.body).toEqual(absent.body);
        }
      }
    expect(await itemsOfMia()).toEqual(before);
  },
);

test('a key reaches a member’s own space over MCP only if it is the member’s and runs in the organization', async () => {
  const own = createAgent(teams.gateway, await orgKey(mia));
  const personal = await createKey(mia, { mcp_capabilities: CAPABILITIES });
  const others = [await orgKey(acme.owner), await orgKey(bob), personal.secret];
  const seen = await own.seen();
  expect(Object.values(seen).map((names) => names.length > 0)).toEqual([true, true, true, true]);
  const families = ['tools', 'prompts', 'resources', 'agents'] as const;

  for (const secret of others) {
    const agent = createAgent(teams.gateway, secret);
    expect(await agent.seen()).toEqual({ tools: [], prompts: [], resources: [], agents: [] });
    for (const family of families)
      for (const name of seen[family])
        expect([name, await agent.reads(family, name)]).toEqual([name, false]);
  }
});

test('nobody else can name items of a member’s own space in a key, and the refusal is that of unknown ones', async () => {
  const draftsOf = (named: typeof ids) => [
    { default_agent_id: named.agents },
    {
      tool_policy: { mode: 'whitelist', tools: [], custom_tools: [named['custom-tools']] },
      mcp_capabilities: CAPABILITIES,
    },
    { prompt_policy: { mode: 'whitelist', prompts: [named.prompts] } },
    { agent_policy: { mode: 'whitelist', agents: [named.agents] } },
  ];
  const unknown = Object.fromEntries(FAMILIES.map((family) => [family, randomUUID()])) as never;
  const send = (who: SignedUp, path: string, draft: object) =>
    askAs(who, {
      path,
      body: { name: `k ${randomUUID()}`, mcp_capabilities: CAPABILITIES, ...draft },
    });

  for (const who of [acme.owner, bob, mia])
    for (const path of ['/api/keys', '/api/keys/preview'])
      for (const [index, draft] of draftsOf(ids).entries()) {
        const [foreign, absent] = [
          await send(who, path, draft),
          await send(who, path, draftsOf(unknown)[index]!),
        ];
        const textOf = (body: unknown) => JSON.stringify(body);
        expect([path, index, foreign.status]).toEqual([path, index, absent.status]);
        expect(textOf(foreign.body)).toBe(textOf(absent.body));
        if (path === '/api/keys') expect(foreign.status).toBe(422);
        for (const family of FAMILIES)
          expect(textOf(foreign.body)).not.toContain(textOf(draftOf(family)));
      }
});

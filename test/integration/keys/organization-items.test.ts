import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import type { Explanation, Preview } from '../../../src/keys/schema.ts';
import { askAs, driftOf, outcomeOf } from '../../support/people/organizations.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { toolId } from '../mcp/key-holder.ts';
import type { FamilyPath } from '../organizations/content-items.ts';
import { CAPABILITIES, createAgent, createUnionWorld } from '../organizations/union.ts';
import { unknownId } from './managing.ts';
import { scopedKeys } from './scoped-keys.ts';

const PLANS_FILE = new URL('../../support/worlds/generous-plans.json', import.meta.url).pathname;

const teams = await useTeams({ PLANS_FILE });
const acme = await createUnionWorld(teams);
const idOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);
const [red, blue] = [idOf(acme.red), idOf(acme.blue)];
const keysPath = `${acme.organization}/keys`;
afterAll(async () => {
  expect(await driftOf(teams.gateway)).toEqual([]);
});

const keys = scopedKeys(() => teams.otherGateway);
const { faults } = keys;

/** A person's key in the organization, and a key of the organization; both are bound to `red`. */
const kinds = [
  ['a key with org_scope', 'scoped'],
  ['a key of the organization', 'owned'],
] as const;
type Kind = (typeof kinds)[number][1];

const pathOf = (kind: Kind) => (kind === 'owned' ? keysPath : '/api/keys');
const ownerOf = (kind: Kind) => (kind === 'owned' ? acme.owner : acme.mia);
const draftOf = (kind: Kind, fields: object = {}) => ({
  ...{ name: randomUUID(), mcp_capabilities: CAPABILITIES, team_ids: [red] },
  ...(kind === 'owned' ? {} : { org_scope: acme.id }),
  ...fields,
});
const create = (kind: Kind, fields: object = {}) =>
  keys.create(ownerOf(kind), draftOf(kind, fields), pathOf(kind));
const edit = (kind: Kind, id: string, body: object) =>
  keys.edit(ownerOf(kind), id, body, pathOf(kind));
const recordOf = async (kind: Kind, id: string) =>
  (await askAs<Record<string, unknown>>(ownerOf(kind), { path: `${pathOf(kind)}/${id}` })).body;
const bootstrap = async (secret: string) => {
  const result = await createAgent(teams.otherGateway, secret).run('bootstrap', {
    primary_agent: true,
  });
  return (result as unknown as { agent: { status: string; name?: string } }).agent;
};

const familyPaths = {
  tool: 'custom-tools',
  prompt: 'prompts',
  resource: 'resources',
  agent: 'agents',
} as const satisfies Record<string, FamilyPath>;
type FamilyName = keyof typeof familyPaths;
const familyNames = Object.keys(familyPaths) as FamilyName[];
const catalogId = (family: FamilyName) => acme.items[familyPaths[family]]['catalog']!;

/** Sets policies of `red` that admit no item of the catalog, or again all of them. */
async function exposeCatalog(isExposed: boolean): Promise<void> {
  const without = {
    tool: { tools: [toolId('hash')], custom_tools: [catalogId('tool')] },
    prompt: { prompts: [catalogId('prompt')] },
    resource: { patterns: ['guide.md'] },
    agent: { agents: [catalogId('agent')] },
  };
  for (const family of familyNames) {
    const policy = isExposed ? { mode: 'all' } : { mode: 'blacklist', ...without[family] };
    expect((await acme.policy(family, policy)).status).toBe(200);
  }
}

/** Replaces the permissions of mia's role. */
const permit = async (...permissions: string[]) => {
  const path = `${acme.organization}/roles/${acme.role.id}`;
  const { status } = await askAs(acme.owner, { method: 'PATCH', path, body: { permissions } });
  expect(status).toBe(200);
};

test.each(kinds)(
  'preview and explain of %s reveal catalog items that no team admits only to members who may view them, family by family',
  async (_what, kind) => {
    await exposeCatalog(false);
    const { body: key } = await create(kind);
    const reader: SignedUp = acme.mia;
    const previewed = async () => {
      const { status, body } = await askAs<Preview>(reader, {
        path: `${pathOf(kind)}/preview`,
        body: draftOf(kind),
      });
      expect(status).toBe(200);
      expect(body.errors).toEqual([]);
      expect(body.counts.hidden).toBe(body.hidden.length);
      const ofCatalog = familyNames.map(catalogId);
      return body.hidden
        .filter(({ id }) => ofCatalog.includes(id))
        .map(({ family, because }) => [family, ...because]);
    };
    const explained = async (family: FamilyName, item: string) => {
      const path = `${pathOf(kind)}/${key.id}/explain?${family}=${item}`;
      const { status, body } = await askAs<Explanation>(reader, { path });
      expect([status, body.outcome]).toEqual([200, 'deny']);
      return body.steps.filter(({ outcome }) => outcome === 'deny').map(({ rule }) => rule);
    };
    const inAllFamilies = async (outcome: typeof explained) =>
      Promise.all(familyNames.map((family) => outcome(family, catalogId(family))));

    await permit('can_create_organization_api_keys');
    expect(await previewed()).toEqual([]);
    expect(await inAllFamilies(explained)).toEqual(familyNames.map(() => ['exists']));
    for (const family of familyNames)
      expect(await explained(family, unknownId)).toEqual(['exists']);

    await permit('can_create_organization_api_keys', 'can_view_organization_tools');
    expect(await previewed()).toEqual([['tool', 'not_exposed']]);
    expect(await inAllFamilies(explained)).toEqual([
      ['exposed'],
      ['exists'],
      ['exists'],
      ['exists'],
    ]);

    await permit(
      'can_create_organization_api_keys',
      ...['tools', 'prompts', 'resources', 'agents'].map(
        (family) => `can_view_organization_${family}`,
      ),
    );
    expect(await previewed()).toEqual(familyNames.map((family) => [family, 'not_exposed']));
    expect(await inAllFamilies(explained)).toEqual(familyNames.map(() => ['exposed']));
    await permit();
    await exposeCatalog(true);
  },
);

test.each(kinds)(
  'the preview of %s warns of a tool that its team’s whitelist names and the organization does not select',
  async (_what, kind) => {
    const tools = [toolId('uuid')];
    expect((await acme.policy('tool', { mode: 'whitelist', tools })).status).toBe(200);
    const path = `${pathOf(kind)}/preview`;
    const { body } = await askAs<Preview>(ownerOf(kind), { path, body: draftOf(kind) });
    await exposeCatalog(true);

    expect(body.warnings.filter(({ code }) => code === 'not_selected')).toEqual([
      { code: 'not_selected', message: expect.stringMatching(/: `uuid`\.$/), detail: null },
    ]);
  },
);

test.each(kinds)(
  'the default agent of %s is one that its teams reach, and is assigned to a primary agent (K2)',
  async (_what, kind) => {
    const { catalog, wide, red: ofRed } = acme.items.agents;

    for (const [id, name] of [
      [catalog, 'guide'],
      [wide, 'wide'],
      [ofRed, 'red/guide'],
    ]) {
      const { status, body } = await create(kind, { default_agent_id: id });
      expect([status, body['default_agent']]).toEqual([201, { id, name }]);
      expect(await bootstrap(body.secret)).toMatchObject({ status: 'assigned', name });
    }
    const elsewhere = [acme.items.agents['blue'], acme.items.agents['personal'], unknownId];
    const ofMembers = kind === 'owned' ? ['mia', 'owner'] : ['owner'];
    for (const id of [...elsewhere, ...ofMembers.map((space) => acme.items.agents[space])])
      expect(faults(await create(kind, { default_agent_id: id }))).toEqual([
        422,
        'agent_unavailable /default_agent_id',
      ]);
  },
);

/** What makes a default agent unavailable, what restores it, and which agent it affects. */
const losses: [string, Kind[], string, () => Promise<unknown>, () => Promise<unknown>][] = [
  [
    'the policy of its team excludes it',
    ['scoped', 'owned'],
    'catalog',
    () => exposeCatalog(false),
    () => exposeCatalog(true),
  ],
  ['its person leaves the team', ['scoped'], 'red', () => acme.leave(), () => acme.join()],
  [
    'its person leaves the team that admits it',
    ['scoped'],
    'catalog',
    () => acme.leave(),
    () => acme.join(),
  ],
];

test.each(
  losses.flatMap(([what, of, ...loss]) => of.map((kind) => [what, kind, ...loss] as const)),
)(
  'when %s, the default agent of a key (%s) is hidden from the next request on; it can be cleared (K3)',
  async (_what, kind, space, lose, restore) => {
    const agent = acme.items.agents[space]!;
    const { body: key } = await create(kind, { default_agent_id: agent });
    const { body: cleared } = await create(kind, { default_agent_id: agent });
    const shown = key['default_agent'];

    await lose();

    expect(await bootstrap(key.secret)).toEqual({ status: 'assignment_unavailable' });
    const record = await recordOf(kind, key.id);
    expect(record['default_agent']).toEqual({ available: false });
    // The policies of its teams may name it, as they do for everyone who reads them (K1).
    expect(JSON.stringify({ ...record, teams: [] })).not.toContain(agent);
    const renamed = await edit(kind, key.id, { name: randomUUID() });
    expect([renamed.status, renamed.body['default_agent']]).toEqual([200, { available: false }]);
    const without = await edit(kind, cleared.id, { default_agent_id: null });
    expect([without.status, without.body['default_agent']]).toEqual([200, null]);
    expect(await bootstrap(cleared.secret)).toEqual({ status: 'selection_available' });
    expect(faults(await edit(kind, cleared.id, { default_agent_id: agent }))).toEqual([
      422,
      'agent_unavailable /default_agent_id',
    ]);

    await restore();
    expect((await recordOf(kind, key.id))['default_agent']).toEqual(shown);
    expect(await bootstrap(key.secret)).toMatchObject({ status: 'assigned' });
  },
);

test('re-binding a key of the organization hides the agent of a team that it leaves (K3)', async () => {
  const { body: key } = await create('owned', { default_agent_id: acme.items.agents['red'] });

  expect((await edit('owned', key.id, { team_ids: [blue] })).body['default_agent']).toEqual({
    available: false,
  });
  expect(await bootstrap(key.secret)).toEqual({ status: 'assignment_unavailable' });

  const both = { team_ids: [red, blue], default_agent_id: acme.items.agents['blue'] };
  expect((await edit('owned', key.id, both)).status).toBe(200);
  expect(await bootstrap(key.secret)).toMatchObject({ status: 'assigned', name: 'blue/guide' });
  const deletion = { method: 'DELETE', path: acme.blue, body: { confirm: 'blue' } } as const;
  expect(outcomeOf(await askAs(acme.owner, deletion))).toEqual([204]);
  expect(await bootstrap(key.secret)).toEqual({ status: 'assignment_unavailable' });
  const cleared = await edit('owned', key.id, { default_agent_id: null });
  expect([cleared.status, cleared.body['default_agent']]).toEqual([200, null]);
});

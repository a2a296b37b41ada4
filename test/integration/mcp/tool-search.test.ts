import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Explanation, Preview } from '../../../src/visibility/schema.ts';
import { createConnectionsSupport } from '../../support/people/connections.ts';
import { askAs, MEMBER } from '../../support/people/organizations.ts';
import { selectTools } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { create } from '../organizations/content-items.ts';
import { eras } from './both-eras.ts';
import type { Requests } from './both-eras.ts';
import { toolId } from './key-holder.ts';

const teams = await useTeams();
const { world, gateway } = teams;
const support = await closeAfterTests(createConnectionsSupport(world, gateway));
const endpoint = `${gateway.url}/mcp`;

const SYSTEM = ['setup', 'bootstrap', 'agent_context'];
const SEARCH = ['search_tools', 'run_tool'];
const SELECTED = ['calculator', 'hash', 'uuid'];

const { id: organization_id, owner, team } = await teams.organization();
const mia = await teams.join(organization_id, 'mia', [MEMBER]);
await selectTools(mia, SELECTED);
const organization = `/api/organizations/${organization_id}`;
await askAs(owner, {
  method: 'PUT',
  path: `${organization}/mcp-settings`,
  body: {
    ...{ tools: SELECTED.map(toolId), organization_wide_tools: SELECTED.map(toolId) },
    ...{ platform_prompts: [], organization_wide_prompts: [] },
  },
});

interface Credential {
  secret: string;
  /** Path of its record, and who may change it. */
  path: string;
  by: SignedUp;
}

async function key(by: SignedUp, path: string, fields: object): Promise<Credential> {
  const { status, body } = await askAs<{ id: string; secret: string }>(by, {
    path,
    body: { name: randomUUID(), mcp_capabilities: ['tools'], ...fields },
  });
  expect(status).toBe(201);
  return { secret: body.secret, path: `${path}/${body.id}`, by };
}

async function connection(id: string, path: string, by: SignedUp): Promise<Credential> {
  return { secret: await support.token(id), path: `${path}/${id}`, by };
}

const scopes = ['mcp_tools'];
const inOrganization = { organization_id };
/** Creates a credential of each kind, as it is created by default. */
const kinds: readonly (readonly [string, () => Promise<Credential>])[] = [
  ['a personal key', () => key(mia, '/api/keys', {})],
  ['a key in an organization', () => key(owner, '/api/keys', { org_scope: organization_id })],
  ['a key of an organization', () => key(owner, `${organization}/keys`, { team_ids: [team.id] })],
  [
    'a connection to an account',
    async () => {
      const client = await support.client({ owner: mia, scopes });
      return connection(await support.authorize(client, mia), '/api/me/connections', mia);
    },
  ],
  [
    'a connection in an organization',
    async () => {
      const client = await support.client({ owner: inOrganization, scopes });
      return connection(await support.authorize(client, owner), '/api/me/connections', owner);
    },
  ],
  [
    'a connection of a client itself',
    async () => {
      const client = await support.client({
        ...{ owner: inOrganization, scopes, grant_types: ['client_credentials'] },
      });
      return connection(await support.machine(client), `${organization}/connections`, owner);
    },
  ],
];

const change = ({ by, path }: Credential, tool_listing: string) =>
  askAs<{ tool_listing: string }>(by, { method: 'PATCH', path, body: { tool_listing } });

/** The response to a request, as far as it is compared. */
interface Answer {
  result?: {
    tools?: { name: string }[];
    structuredContent?: {
      tools?: { name: string }[];
      result?: unknown;
      error?: { code: string };
      context?: string;
    };
  };
  error?: { code: number };
}
const asker = (ask: Requests) => async (method: string, params?: Record<string, unknown>) =>
  JSON.parse((await ask(method, params)).text) as Answer;
type Ask = ReturnType<typeof asker>;

const listedBy = async (ask: Ask) =>
  (await ask('tools/list')).result?.tools?.map(({ name }) => name) ?? [];
const call = (ask: Ask, name: string, input: object) =>
  ask('tools/call', { name, arguments: input });
const foundBy = async (ask: Ask, input: object = {}) =>
  (await call(ask, 'search_tools', input)).result?.structuredContent?.tools?.map(
    ({ name }) => name,
  );

test.each(
  kinds.flatMap(([kind, createOne]) =>
    eras.map(([era, connect]) => [kind, era, createOne, connect] as const),
  ),
)(
  '%s, over the %s protocol, lists or finds the same tools, from its next request on',
  async (_kind, _era, createOne, connect) => {
    const credential = await createOne();
    const ask = asker(await connect(endpoint, credential.secret));
    const all = await listedBy(ask);
    expect((await call(ask, 'search_tools', {})).error?.code).toBe(-32601);

    expect((await change(credential, 'search')).body.tool_listing).toBe('search');
    expect(await listedBy(ask)).toEqual([...SYSTEM, ...SEARCH]);
    expect([...SYSTEM, ...(await foundBy(ask))!]).toEqual(all);
    expect((await foundBy(ask, { query: 'compute an expression' }))![0]).toBe('calculator');
    const input = { expression: '6*7' };
    for (const answer of [
      await call(ask, 'calculator', input),
      await call(ask, 'run_tool', { name: 'calculator', arguments: input }),
    ])
      expect(answer.result?.structuredContent?.result).toBe(42);

    expect((await change(credential, 'all')).body.tool_listing).toBe('all');
    expect(await listedBy(ask)).toEqual(all);
    expect((await call(ask, 'run_tool', { name: 'calculator' })).error?.code).toBe(-32601);
  },
);

test('a key is created so, keeps it through other edits, and is refused another word', async () => {
  const created = await key(mia, '/api/keys', { tool_listing: 'search' });
  const { body } = await askAs(mia, { method: 'PATCH', path: created.path, body: { name: 'new' } });
  const { body: list } = await askAs<{ data: object[] }>(mia, { path: '/api/keys' });

  expect(body).toMatchObject({ tool_listing: 'search' });
  expect(list.data).toContainEqual(expect.objectContaining({ tool_listing: 'search' }));
  expect((await change(created, 'some')).status).toBe(400);
});

test('a preview shows what is found, and how few tokens the list then takes', async () => {
  const created = await key(mia, '/api/keys', {});
  const preview = async (body?: object) =>
    (
      await askAs<Preview & { gained: Preview['visible'] }>(mia, {
        path: `${created.path}/preview`,
        ...(body && { body }),
      })
    ).body;
  const before = await preview();
  const edited = await preview({ tool_listing: 'search' });
  await change(created, 'search');
  const after = await preview();
  const namesOf = ({ visible }: Preview) => visible.tools.map(({ name }) => name);

  expect(namesOf(before)).toEqual([...SYSTEM, ...SELECTED]);
  expect(namesOf(after)).toEqual([...SYSTEM, ...SEARCH, ...SELECTED]);
  expect(edited.gained.tools.map(({ name }) => name)).toEqual(SEARCH);
  expect([before.tool_listing, edited.tool_listing, after.tool_listing]).toEqual([
    ...['all', 'search', 'search'],
  ]);
  expect(edited.list_tokens).toBe(after.list_tokens);
});

test('an explanation says how a tool is found, and why search_tools may be called or not', async () => {
  const created = await key(mia, '/api/keys', {});
  const explain = async (tool: string) =>
    (await askAs<Explanation>(mia, { path: `${created.path}/explain?tool=${tool}` })).body;
  const absent = await explain('search_tools');
  await change(created, 'search');

  expect(absent.outcome).toBe('deny');
  expect((await explain('search_tools')).outcome).toBe('allow');
  expect((await explain('hash')).steps).toContainEqual({
    ...{ layer: 'credential', rule: 'tool_listing', outcome: 'allow' },
    evidence: { tool_listing: 'search' },
  });
});

test('the audit log records the change of a key and of a connection', async () => {
  const client = await support.client({ owner: mia, scopes });
  const id = await support.authorize(client, mia);
  const changed = [
    await key(mia, '/api/keys', {}),
    await connection(id, '/api/me/connections', mia),
  ];
  for (const one of changed) await change(one, 'search');
  const { body } = await askAs<{ data: { action: string; detail: object }[] }>(mia, {
    path: '/api/me/audit?limit=2',
  });

  expect(body.data.map(({ action }) => action)).toEqual(['connection.update', 'key.update']);
  for (const { detail } of body.data)
    expect(detail).toMatchObject({
      ...{ before: { tool_listing: 'all' }, after: { tool_listing: 'search' } },
    });
});

test('a search and a call with run_tool cost one call each, of which the month counts the tool', async () => {
  const created = await key(mia, '/api/keys', { tool_listing: 'search' });
  const ask = asker(await eras[1][1](endpoint, created.secret));
  const used = async () => {
    const { body } = await askAs<{ explained: object; steps: Explanation['steps'] }>(mia, {
      path: `${created.path}/explain?tool=hash`,
    });
    const windows = body.steps.filter(({ layer }) => layer === 'limit');
    return windows.map(
      ({ rule, evidence }) => [rule, (evidence as { used: number }).used] as const,
    );
  };
  const before = new Map(await used());
  await call(ask, 'search_tools', { query: 'hash' });
  await call(ask, 'run_tool', { name: 'calculator', arguments: { expression: '1' } });
  const spent = (await used()).map(([rule, count]) => [rule, count - before.get(rule)!]);

  expect(Object.fromEntries(spent)).toMatchObject({
    tool_calls_per_day: 2,
    tool_calls_per_month: 1,
  });
});

test('nothing that a credential cannot see changes a byte of what it finds (P1)', async () => {
  const created = await key(owner, `${organization}/keys`, {
    ...{ team_ids: [team.id], tool_listing: 'search' },
  });
  const send = await eras[1][1](endpoint, created.secret);
  const searches = ['', 'hash', 'compute an expression', 'hidden secret words'].map((query) => ({
    name: 'search_tools',
    arguments: { query, limit: 2 },
  }));
  const answers = async () => {
    const texts: string[] = [];
    for (const params of searches) texts.push((await send('tools/call', params)).text);
    return texts.map((text) => text.replace(/"id":\d+/, ''));
  };
  const before = await answers();
  // A tool of the member's own space, which repeats words of the others so that it would rank.
  const description = 'hash hash compute an expression hidden secret words';
  for (const name of ['hash_2', 'hidden']) {
    const { status } = await create(mia, `${organization}/me`, 'custom-tools', {
      name,
      description,
    });
    expect(status).toBe(201);
  }

  expect(await answers()).toEqual(before);
});

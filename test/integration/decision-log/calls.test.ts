import { expect, test } from 'vitest';
import { askAs } from '../../support/people/organizations.ts';
import { createKey, selectTools } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { ask, toolId } from '../mcp/key-holder.ts';
import { openSession, request, send } from '../mcp/legacy/client.ts';
import { createUnionWorld } from '../organizations/union.ts';
import { decisionsOf, readDecisions } from './reading.ts';

const teams = await useTeams({ DECISIONS_SAMPLING: '1' });
const acme = await createUnionWorld(teams);
const { id, organization, owner, mia, key } = acme;
/** Selects these tools in the organization. */
async function select(...names: string[]) {
  const path = `${organization}/catalog/tools?limit=200`;
  const { body } = await askAs<{ data: { id: string; name: string }[] }>(owner, { path });
  const tools = names.map((name) => body.data.find((tool) => tool.name === name)!.id);
  const wide = { organization_wide_tools: [], organization_wide_prompts: [] };
  const selected = { tools, platform_prompts: [], ...wide };
  const saved = { method: 'PUT', path: `${organization}/mcp-settings`, body: selected };
  expect((await askAs(owner, saved)).status).toBe(200);
}
await select('calculator', 'create_prompt');

const url = `${teams.gateway.url}/mcp`;
const denied = (layer: string, reason: string) => ({ outcome: 'denied', layer, reason });
const allowed = { outcome: 'allowed', layer: null, reason: null };

/** Sends a request over MCP, and returns its error and the decisions on it. */
async function decided(
  secret: string,
  method: string,
  params: { name?: string; uri?: string; arguments?: object },
  who: SignedUp = owner,
) {
  const named = params.uri === undefined ? {} : { 'mcp-name': params.uri };
  const { status, headers, body } = await ask(url, { 'x-api-key': secret, ...named }, method, {
    ...params,
  });
  const { error, result } = body;
  const code = error?.code ?? result?.structuredContent?.error?.code;
  const request_id = headers.get('x-request-id');
  const rows = await decisionsOf(who, id, request_id);
  return { status, code, rows, request_id };
}
const call = (secret: string, name: string, input: object = {}, who = owner) =>
  decided(secret, 'tools/call', { name, arguments: input }, who);

test('a call of a permitted tool has one allowed decision, whatever its arguments', async () => {
  const calls = [
    await call(key.secret, 'calculator', { expression: '6*7' }),
    await call(key.secret, 'calculator', { unknown: true }),
  ];

  expect(calls.map(({ code }) => code)).toEqual([undefined, -32602]);
  for (const { rows } of calls)
    expect(rows).toEqual([
      expect.objectContaining({
        subject: { kind: 'key', id: key.id, name: null },
        action: { family: 'tool', name: 'calculator' },
        ...{ team: null, cached: null, sampled: 1, ...allowed },
      }),
    ]);
});

test('a tool that is not selected, or that no team admits, is denied for that', async () => {
  const unselected = await call(key.secret, 'hash', { text: 'x' });
  await acme.policy('tool', { mode: 'blacklist', tools: [toolId('calculator')] });
  const excluded = await call(key.secret, 'calculator', { expression: '1' });
  await acme.policy('tool', { mode: 'all' });

  expect([unselected.code, excluded.code]).toEqual(['tool_not_permitted', 'tool_not_permitted']);
  expect(unselected.rows).toEqual([
    expect.objectContaining({
      action: { family: 'tool', name: 'hash' },
      ...denied('selection', 'not_selected'),
    }),
  ]);
  expect(excluded.rows).toEqual([expect.objectContaining(denied('selection', 'not_exposed'))]);
});

test('a call with a personal key is recorded for the account, and in the log of no organization', async () => {
  await selectTools(mia, ['calculator']);
  const { secret } = await createKey(mia, {
    tool_policy: { mode: 'blacklist', tools: [toolId('calculator')] },
  });

  const { code, rows, request_id } = await call(secret, 'calculator', { expression: '1' });

  expect([code, rows]).toEqual(['tool_not_permitted', []]);
  expect(
    await teams.world.query(
      `SELECT organization_id, account_id, family, action, outcome, layer, reason
       FROM access_decision WHERE request_id = $1`,
      [request_id],
    ),
  ).toEqual([
    {
      ...{ organization_id: null, account_id: mia.account_id },
      ...{ family: 'tool', action: 'calculator', ...denied('policy', 'key_policy') },
    },
  ]);
});

test('a credential without the capability is denied for that, for tools, prompts and agents', async () => {
  const bare = await createKey(mia, { mcp_capabilities: [], org_scope: id });

  const tool = await call(bare.secret, 'calculator', { expression: '1' });
  const prompt = await decided(bare.secret, 'prompts/get', { name: 'wide' });
  const role = { primary_agent: true, agent_name: 'wide' };
  const agent = await call(bare.secret, 'bootstrap', role);

  expect([tool.code, prompt.code, agent.code]).toEqual([
    ...['capability_denied', -32601, 'capability_denied'],
  ]);
  const missing = denied('capability', 'capability_missing');
  expect(tool.rows).toEqual([
    expect.objectContaining({ action: { family: 'tool', name: 'calculator' }, ...missing }),
  ]);
  expect(prompt.rows).toEqual([
    expect.objectContaining({ action: { family: 'prompt', name: 'wide' }, ...missing }),
  ]);
  expect(agent.rows).toEqual([
    expect.objectContaining({ action: { family: 'agent', name: null }, ...missing }),
  ]);
});

test('the name of an item that does not exist is not recorded: it may be a secret', async () => {
  const secret = 'hunter2-is-my-password';
  const answers = [
    await call(key.secret, secret),
    await decided(key.secret, 'prompts/get', { name: secret }),
    await decided(key.secret, 'resources/read', { uri: `toolgate://me/${secret}` }),
    await call(key.secret, 'bootstrap', { primary_agent: true, agent_name: secret }),
    await call(key.secret, 'agent_context', { name: secret, components: [] }),
  ];

  expect(answers.map(({ rows }) => rows)).toEqual(
    ['tool', 'prompt', 'resource', 'agent', 'agent'].map((family) => [
      expect.objectContaining({ action: { family, name: null }, ...denied('absent', 'not_found') }),
    ]),
  );
  expect(
    await teams.world.query('SELECT FROM access_decision d WHERE d::text LIKE $1', [`%${secret}%`]),
  ).toEqual([]);
});

test('an item in a member’s own space is named to nobody, not even in the database', async () => {
  const { rows } = await decided(key.secret, 'prompts/get', { name: 'me/guide' });

  expect(rows).toEqual([
    expect.objectContaining({ action: { family: 'prompt', name: null }, team: null, ...allowed }),
  ]);
  const stored = await teams.world.query(
    "SELECT FROM access_decision WHERE action LIKE 'me/%' OR item_id = $1",
    [acme.items.prompts['mia']],
  );
  expect(stored).toEqual([]);
  expect((await readDecisions(owner, id, '?action=me/guide')).data).toEqual([]);
});

test('an item of a team is named only to those who are in the team, or may manage every team', async () => {
  const role = { name: 'Auditor', permissions: ['can_view_organization_audit'] };
  const created = await askAs<{ id: string }>(owner, { path: `${organization}/roles`, body: role });
  const auditor = await teams.join(id, 'auditor', [created.body.id]);
  const team = acme.red.split('/').at(-1);

  const { rows } = await decided(key.secret, 'prompts/get', { name: 'red/guide' });
  const { data: seen } = await readDecisions(auditor, id, '?subject=' + key.id);
  const found = async (who: SignedUp) =>
    (await readDecisions(who, id, '?action=red/guide')).data.length;

  expect(rows).toEqual([
    expect.objectContaining({ action: { family: 'prompt', name: 'red/guide' }, team, ...allowed }),
  ]);
  expect(seen.find((one) => one.id === rows[0]!.id)).toMatchObject({
    ...{ action: { family: 'prompt', name: null }, team },
  });
  expect(JSON.stringify(seen)).not.toContain('red/guide');
  expect([await found(owner), await found(auditor)]).toEqual([1, 0]);
});

test('a management tool that may not write is denied for the missing permission', async () => {
  const { code, rows } = await call(key.secret, 'create_prompt', {
    ...{ space: 'red', name: 'mine', messages: [{ role: 'user', content: 'Hi.' }] },
  });

  expect(code).toBe('capability_denied');
  expect(rows).toEqual([
    expect.objectContaining({
      action: { family: 'tool', name: 'create_prompt' },
      ...denied('capability', 'permission_missing'),
    }),
  ]);
});

test('the calls of a batch have one decision each, with the id of their common response', async () => {
  const version = '2025-03-26';
  const session = await openSession(url, key.secret, version);
  const body = ['nothing', 'wide'].map((name) => request('prompts/get', { name }, name));
  const { headers } = await send(url, key.secret, { session, version, body });

  const rows = await decisionsOf(owner, id, headers.get('x-request-id'));
  expect(rows.map(({ action, outcome }) => [action, outcome])).toEqual([
    [{ family: 'prompt', name: 'wide' }, 'allowed'],
    [{ family: 'prompt', name: null }, 'denied'],
  ]);
});

test('a call in a suspended organization, and one of a former member, are denied before they begin', async () => {
  const beta = await teams.organization();
  const bob = await teams.join(beta.id, 'bob');
  const bobs = await createKey(bob, { org_scope: beta.id, mcp_capabilities: [] });
  const { setStatus } = teams.gateway.service.organizations;
  const params = { name: 'calculator', arguments: {} };
  const callAsBob = () => ask(url, { 'x-api-key': bobs.secret }, 'tools/call', params);
  await setStatus(beta.id, 'suspended');
  const suspended = await callAsBob();
  await setStatus(beta.id, 'active');
  const member = `/api/organizations/${beta.id}/members/${bob.account_id}`;
  await askAs(beta.owner, { method: 'DELETE', path: member });
  const former = await callAsBob();

  expect([suspended.status, former.status]).toEqual([403, 404]);
  const rowsOf = ({ headers }: typeof former) =>
    decisionsOf(beta.owner, beta.id, headers.get('x-request-id'));
  const shared = {
    subject: { kind: 'key', id: bobs.id, name: null },
    ...{ action: 'can_connect', team: null },
  };
  expect(await rowsOf(suspended)).toEqual([
    expect.objectContaining({ ...shared, ...denied('organization', 'organization_suspended') }),
  ]);
  expect(await rowsOf(former)).toEqual([
    expect.objectContaining({ ...shared, ...denied('absent', 'not_connected') }),
  ]);
});

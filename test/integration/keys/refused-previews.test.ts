import { expect, test } from 'vitest';
import type { Explanation, KeyEditPreview, Preview } from '../../../src/keys/schema.ts';
import { createConnectionsSupport } from '../../support/people/connections.ts';
import { askAs } from '../../support/people/organizations.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { ask } from '../mcp/key-holder.ts';
import { create as createItem } from '../organizations/content-items.ts';
import { scopedKeys } from './scoped-keys.ts';

const teams = await useTeams();
const support = await closeAfterTests(createConnectionsSupport(teams.world, teams.gateway));

const { create } = scopedKeys(() => teams.gateway);
const capabilities = { mcp_capabilities: ['tools', 'resources', 'prompts', 'agents'] };
const NOTHING = { tools: 0, prompts: 0, resources: 0, agents: 0 };

/** Creates an organization with a prompt for everyone, and keys and connections of every kind. */
async function createCredentials() {
  const { id: organization_id, owner } = await teams.organization();
  const path = `/api/organizations/${organization_id}`;
  await createItem(owner, path, 'prompts', { name: 'wide', organization_wide: true });
  const own = await create(owner, { org_scope: organization_id, ...capabilities });
  const shared = await create(owner, capabilities, `${path}/keys`);
  const client = await support.client({
    ...{ owner: { organization_id }, scopes: ['mcp_tools', 'mcp_prompts'] },
    grant_types: ['authorization_code', 'client_credentials'],
  });
  return {
    ...{ organization_id, owner, client },
    secrets: [own.body.secret, shared.body.secret],
    keys: [`/api/keys/${own.body.id}`, `${path}/keys/${shared.body.id}`],
    connections: [
      `/api/me/connections/${await support.authorize(client, owner)}`,
      `${path}/connections/${await support.machine(client)}`,
    ],
  };
}

async function seen<Seen = Preview>(who: SignedUp, path: string, body?: object): Promise<Seen> {
  const answer = await askAs<Seen>(who, {
    path: `${path}/preview`,
    ...(body === undefined ? {} : { body }),
  });
  expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
  return answer.body;
}
const visibleIn = ({ visible }: Pick<Preview, 'visible'>) =>
  Object.values(visible).flatMap((items) => items.map(({ name }) => name));
const explain = async (who: SignedUp, path: string) =>
  (await askAs<Explanation>(who, { path: `${path}/explain?prompt=wide` })).body;
const listWith = async (secret: string) =>
  (await ask(`${teams.gateway.url}/mcp`, { 'x-api-key': secret }, 'prompts/list')).status;

test('in a suspended organization, a member’s credentials see nothing in previews, as over MCP', async () => {
  const { organization_id, owner, keys, secrets, connections } = await createCredentials();
  const all = [...keys, ...connections];
  for (const path of all) expect(visibleIn(await seen(owner, path))).toContain('wide');
  for (const secret of secrets) expect(await listWith(secret)).toBe(200);

  await teams.gateway.service.organizations.setStatus(organization_id, 'suspended');

  for (const secret of secrets) expect(await listWith(secret)).toBe(403);
  for (const path of all) {
    if (path.startsWith('/api/organizations')) {
      expect((await askAs(owner, { path: `${path}/preview` })).status).toBe(403);
      continue;
    }
    const stored = await seen(owner, path);
    expect([visibleIn(stored), stored.counts.visible, stored.list_tokens]).toEqual([
      ...[[], NOTHING, 0],
    ]);
    expect(stored.hidden.map(({ name }) => name)).not.toContain('wide');
  }
  const edited = await seen<KeyEditPreview>(owner, keys[0]!, { name: 'renamed' });
  expect([visibleIn(edited), edited.counts.lost]).toEqual([[], NOTHING]);
  expect(edited.hidden.map(({ name }) => name)).not.toContain('wide');
});

test('in a suspended organization, an explanation concludes that the item may not be used', async () => {
  const { organization_id, owner, keys, connections } = await createCredentials();
  const all = [keys[0]!, connections[0]!];
  for (const path of all) expect((await explain(owner, path)).outcome).toBe('allow');

  await teams.gateway.service.organizations.setStatus(organization_id, 'suspended');

  for (const path of all) {
    const { outcome, steps } = await explain(owner, path);
    expect(outcome).toBe('deny');
    expect(steps.filter((step) => step.outcome === 'deny')).toEqual([
      {
        ...{ layer: 'credential', rule: 'organization_active', outcome: 'deny' },
        evidence: { status: 'suspended' },
      },
    ]);
  }
});

test('an expired key sees nothing, and an edit that extends it gains everything', async () => {
  const { owner, keys, secrets } = await createCredentials();
  for (const path of keys) {
    await teams.world.query(`UPDATE api_key SET expires_at = now() WHERE id = $1`, [
      path.split('/').at(-1),
    ]);
    expect(visibleIn(await seen(owner, path))).toEqual([]);

    const renamed = await seen<KeyEditPreview>(owner, path, { name: 'expired' });
    const extended = await seen<KeyEditPreview>(owner, path, {
      expires_at: '2100-01-01T00:00:00Z',
    });

    expect(renamed.counts).toMatchObject({ visible: NOTHING, gained: NOTHING, lost: NOTHING });
    expect(extended.gained).toEqual(extended.visible);
    expect(visibleIn(extended)).toEqual(expect.arrayContaining(['bootstrap', 'wide']));
  }
  for (const secret of secrets) expect(await listWith(secret)).toBe(401);
});

test('a connection sees nothing while the account of its client’s owner is deactivated', async () => {
  const [{ owner }, { owner: author }] = [await teams.organization(), await teams.organization()];
  const client = await support.client({ owner: author, scopes: ['mcp_tools'] });
  const id = await support.authorize(client, owner);
  const path = `/api/me/connections/${id}`;
  expect(visibleIn(await seen(owner, path))).toContain('bootstrap');

  await teams.world.query(`UPDATE account SET status = 'deactivated' WHERE id = $1`, [
    author.account_id,
  ]);

  const headers = { authorization: `Bearer ${await support.token(id)}` };
  expect((await ask(`${teams.gateway.url}/mcp`, headers, 'tools/list')).status).toBe(401);
  const { counts, list_tokens } = await seen(owner, path);
  expect([counts.visible, list_tokens]).toEqual([NOTHING, 0]);
});

test('the preview of a refused credential warns of nothing: its policies and agent may be right', async () => {
  const { owner } = await teams.organization();
  const agent = await createItem(owner, '/api/me', 'agents');
  const prompt = await createItem(owner, '/api/me', 'prompts', { name: 'mine' });
  const { body } = await create(owner, {
    ...{ ...capabilities, default_agent_id: agent.body.id },
    prompt_policy: { mode: 'whitelist', prompts: [prompt.body.id] },
  });
  const warningsOf = async () => (await seen(owner, `/api/keys/${body.id}`)).warnings;
  expect(await warningsOf()).toEqual([]);

  await teams.world.query('UPDATE api_key SET expires_at = now() WHERE id = $1', [body.id]);

  expect(await warningsOf()).toEqual([]);
});

test('an agent that would start with an expired key gets nothing', async () => {
  const { owner } = await teams.organization();
  const { body: agent } = await createItem(owner, '/api/me', 'agents');
  const { body: key } = await create(owner, capabilities);
  const start = async () =>
    (
      await askAs<{ status: string }>(owner, {
        path: `/api/me/agents/${agent.id}/bootstrap`,
        body: { key_id: key.id },
      })
    ).body;
  expect(await start()).toMatchObject({ status: 'available' });

  await teams.world.query('UPDATE api_key SET expires_at = now() WHERE id = $1', [key.id]);

  expect(await start()).toEqual({
    ...{ status: 'unavailable', name: null, components: [], context: null },
  });
});

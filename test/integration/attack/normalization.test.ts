import { expect, test } from 'vitest';
import { heldShare } from '../../support/longest-turn.ts';
import { createOrganization } from '../../support/people/organizations.ts';
import { createKey, oneAddress, signUp } from '../../support/people/people.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { ask } from '../mcp/key-holder.ts';

// Normalization sorts marks above after marks below, in a time that grows with the square.
const MARKS = `a${'\u0301'.repeat(10_000)}${'\u0323'.repeat(10_000)}`;

const { world, gateway } = await useGateway(oneAddress);
const eve = await signUp(world, gateway, 'eve');
const organization = `/api/organizations/${(await createOrganization(eve)).id}`;

test.each<[string, () => string, object]>([
  ['a key’s name', () => '/api/keys', { name: MARKS, mcp_capabilities: [] }],
  [
    'a pattern of a policy',
    () => '/api/keys',
    { name: 'k', mcp_capabilities: [], resource_policy: { mode: 'whitelist', patterns: [MARKS] } },
  ],
  ['a resource’s path', () => '/api/me/resources', { path: MARKS, text: 'x' }],
  ['an organization’s name', () => '/api/organizations', { name: MARKS }],
  ['a role’s name', () => `${organization}/roles`, { name: MARKS }],
])(
  '%s of 40 kB of combining marks does not hold the event loop (rel:B7-6)',
  async (_what, path, body) => {
    const share = await heldShare(async () => {
      const answer = await eve.person.ask({ path: path(), body, headers: eve.bearer });
      expect(answer.status).toBe(400);
    });

    expect(share).toBeLessThan(1);
  },
);

test('a glob of 40 kB of combining marks over MCP does not hold the event loop (rel:B7-6)', async () => {
  const { secret } = await createKey(eve);
  const catalog = await eve.person.ask<{ data: { id: string; name: string }[] }>({
    path: '/api/me/tools/scopable?limit=200',
    headers: eve.bearer,
  });
  const tools = catalog.body.data
    .filter(({ name }) => name === 'grep_resource')
    .map(({ id }) => id);
  const settings = { tools, platform_prompts: [] };
  const path = '/api/me/mcp-settings';
  await eve.person.ask({ method: 'PUT', path, body: settings, headers: eve.bearer });

  const share = await heldShare(async () => {
    const { body } = await ask(`${gateway.url}/mcp`, { 'x-api-key': secret }, 'tools/call', {
      name: 'grep_resource',
      arguments: { pattern: 'a', paths: MARKS },
    });
    expect(body.error?.code).toBe(-32602);
  });

  expect(share).toBeLessThan(1);
});

import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { McpClient, NamedClient } from '../../support/clients/client.ts';
import { connectSdkV1 } from '../../support/clients/sdk-v1.ts';
import { connectInspector, inspect } from '../../support/clients/inspector.ts';
import { installClients, installedClients } from '../../support/clients/installed.ts';
import { runMcpRemoteClient } from '../../support/clients/mcp-remote-client.ts';
import { connectSdkV2 } from '../../support/clients/sdk-v2.ts';
import { createItem } from '../../support/worlds/items.ts';
import { createKey, selectTools, signUp } from '../../support/people/people.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { World } from '../../support/worlds/world.ts';

const ownClients: readonly NamedClient[] = [
  { name: 'SDK v1', connect: connectSdkV1 },
  { name: 'SDK v2, legacy', connect: connectSdkV2('legacy', '2025-11-25') },
  { name: 'SDK v2, auto', connect: connectSdkV2('auto', '2026-07-28') },
  {
    name: 'SDK v2, pinned',
    connect: connectSdkV2({ pin: '2026-07-28' }, '2026-07-28'),
  },
  { name: 'the Inspector, legacy', connect: connectInspector('legacy') },
  { name: 'the Inspector, modern', connect: connectInspector('modern') },
];
const isInstalled = await installClients();

let world: World;
let endpoint: string;
let secret: string;

beforeAll(async () => {
  world = await createWorld({
    PLANS_FILE: fileURLToPath(new URL('../../support/worlds/generous-plans.json', import.meta.url)),
  });
  const gateway = await world.gateway();
  const ada = await signUp(world, gateway);
  await selectTools(ada, ['calculator', 'csv_to_json']);
  await createItem(ada, 'prompts', {
    name: 'greeting',
    arguments: [{ name: 'who', required: true }],
    messages: [{ role: 'user', content: 'Greet {{who}}.' }],
  });
  await createItem(ada, 'resources', {
    path: 'notes/one',
    mime_type: 'text/plain',
    text: 'The first note.',
  });
  endpoint = `${gateway.config.PUBLIC_URL}/mcp`;
  ({ secret } = await createKey(ada, { mcp_capabilities: ['tools', 'prompts', 'resources'] }));
});
afterAll(() => world?.close());

test.each(['legacy', 'modern'] as const)(
  'the Inspector without a key reports that authentication is required, %s (A1)',
  async (era) => {
    expect((await inspect(era, endpoint, '--method', 'tools/list')).code).toBe(3);
  },
);

test.skipIf(!isInstalled)('mcp-remote-client lists the tools and exits', async () => {
  const { code, output } = await runMcpRemoteClient(endpoint, secret);

  expect(code, output).toBe(0);
  expect(output).toContain('"name": "calculator"');
});

describe.each(ownClients)('$name', testClient);
describe.skipIf(!isInstalled).each(installedClients)('$name', testClient);

function testClient({ connect, hasPrompts = true }: NamedClient): void {
  let client: McpClient;
  beforeAll(async () => {
    client = await connect(endpoint, secret);
  });
  afterAll(() => client?.close());

  test('lists the tools its key can access, and calls one (S2, S4)', async () => {
    expect(await client.toolNames()).toEqual([
      ...['setup', 'bootstrap', 'agent_context'],
      ...['calculator', 'csv_to_json'],
    ]);
    expect(await client.call('calculator', { expression: '6*7' })).toContain('42');
  });

  test("passes on a tool error's content", async () => {
    expect(await outputOf(client.call('calculator', { expression: '1/0' }))).toContain(
      'invalid_expression',
    );
  });

  test('reports an absent tool as not found', async () => {
    const nothing = client.call('nothing', {});

    await expect(nothing).rejects.toThrow(NOT_FOUND);
  });

  if (hasPrompts)
    test('gets a prompt, and reports an absent one as not found (S2, S4)', async () => {
      const { names, get } = client.prompts!;

      expect(await names()).toEqual(['greeting']);
      expect(await get('greeting', { who: 'Grace' })).toContain('Greet Grace.');
      await expect(get('nothing', {})).rejects.toThrow(NOT_FOUND);
    });

  test('reads a resource, and reports an absent one as not found (S2, S4)', async () => {
    const { uris, read } = client.resources;

    expect(await uris()).toEqual(['toolgate://me/notes/one']);
    expect(await read('toolgate://me/notes/one')).toContain('The first note.');
    await expect(read('toolgate://me/notes/two')).rejects.toThrow(NOT_FOUND);
  });

  test('with an invalid key, reports that the key was refused (A1)', async () => {
    const stranger = connect(endpoint, 'sk_00000000-0000-4000-8000-000000000000').then(
      (connected) => connected.toolNames(),
    );

    await expect(stranger).rejects.toThrow(REFUSED);
  });
}

const NOT_FOUND = /not found|-3260[12]|unknown tool/i;
/** mcp-remote reacts to any 401 with an OAuth attempt, which fails without client registration. */
// mcp-remote attempts OAuth after any 401, and then misses dynamic registration.
const REFUSED =
  /credential is not valid|HTTP 401|auth_required|RegistrationRejected|dynamic client registration/;

/** Some clients throw a tool error's content, others return it. */
const outputOf = (call: Promise<string>) => call.catch((error: unknown) => String(error));

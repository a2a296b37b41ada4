import { expect, test } from 'vitest';
import { createConnectionsSupport } from '../../../support/people/connections.ts';
import { oneAddress, selectTools, signUp } from '../../../support/people/people.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';
import { eventReader, openSession, send } from '../../mcp/legacy/client.ts';

const { world, gateway } = await useGateway(oneAddress);
const otherGateway = await world.gateway();
const support = await closeAfterTests(createConnectionsSupport(world, gateway));
const ada = await signUp(world, gateway);

const META = 'io.modelcontextprotocol/';

/** Opens a stream of either protocol version with a token; returns its events. */
const open: Record<string, (token: string) => Promise<ReturnType<typeof eventReader>>> = {
  async '2025-11-25'(token) {
    const endpoint = `${otherGateway.url}/mcp`;
    const session = await openSession(endpoint, token);
    return eventReader(await send(endpoint, token, { method: 'GET', session }));
  },
  async '2026-07-28'(token) {
    const method = 'subscriptions/listen';
    const meta = { [`${META}protocolVersion`]: '2026-07-28', [`${META}clientCapabilities`]: {} };
    return eventReader(
      await send(`${otherGateway.url}/mcp`, token, {
        headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method },
        body: {
          ...{ jsonrpc: '2.0', id: 1, method },
          params: { notifications: { toolsListChanged: true }, _meta: meta },
        },
      }),
    );
  },
};

/** Resolves with the time at which a stream ends. */
async function endOf(events: ReturnType<typeof eventReader>): Promise<number> {
  while ((await events.next()) !== null);
  return Date.now();
}

// A second, and time for a busy machine.
const SOON_MS = 2_500;

const newConnection = async () =>
  support.authorize(
    await support.client({ owner: ada, scopes: ['mcp_tools', 'mcp_prompts'] }),
    ada,
  );

test.each(Object.keys(open))(
  'an open stream of %s ends within a second of its token’s expiry, and not that of another token',
  async (version) => {
    const id = await newConnection();
    const exp = Math.floor(Date.now() / 1_000) + 4;
    const short = await open[version]!(await support.token(id, { exp }));
    const long = await open[version]!(await support.token(id));
    const longEnd = endOf(long).then(() => 'ended');

    const ended = await endOf(short);
    expect(ended).toBeGreaterThanOrEqual(exp * 1_000 - 500);
    expect(ended - exp * 1_000).toBeLessThan(SOON_MS);
    expect(await Promise.race([longEnd, Promise.resolve('open')])).toBe('open');
    await long.close();
  },
  30_000,
);

test.each(Object.keys(open))(
  'an open stream of %s ends within a second of its connection’s revocation (rel:S5)',
  async (version) => {
    const id = await newConnection();
    const events = await open[version]!(await support.token(id));
    const ended = endOf(events);
    await support.revoke(id);
    const revokedAt = Date.now();

    expect((await ended) - revokedAt).toBeLessThan(SOON_MS);
  },
);

test('a stream announces only the lists that its token may read', async () => {
  await selectTools(ada, ['calculator']);
  const id = await newConnection();
  const narrow = await open['2026-07-28']!(await support.token(id, { scope: 'mcp_prompts' }));
  const wide = await open['2026-07-28']!(await support.token(id));
  await Promise.all([narrow.next(), wide.next()]);
  await selectTools(ada, ['calculator', 'hash']);

  expect((await wide.next())?.data).toContain('tools/list_changed');
  await support.revoke(id);
  // Nothing was sent before the end.
  expect(await narrow.next()).toBeNull();
  await wide.close();
});

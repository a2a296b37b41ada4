import { expect, test } from 'vitest';
import { createKey, selectTools, signUp } from '../../support/people/people.ts';
import { createProxy } from '../../support/servers/proxy.ts';
import { useWorld } from '../../support/worlds/world.ts';
import { openSession } from '../mcp/legacy/client.ts';

const CALLS = 100;
// Background requests in the meantime: worker, heartbeat and ledger.
const BACKGROUND = 60;

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

interface HotRequest {
  method: string;
  subject: string;
  params: object;
  /** Id of a 2025 session; without one, the request uses the 2026 protocol. */
  session?: string;
}
const call: HotRequest = {
  method: 'tools/call',
  subject: 'calculator',
  params: { name: 'calculator', arguments: { expression: '1+1' } },
};
const uri = 'toolgate://me/notes/a.md';
const read: HotRequest = { method: 'resources/read', subject: uri, params: { uri } };

const modernHeaders = (method: string, subject: string) => ({
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  'mcp-name': subject,
});

test(
  'a warm call or read of either MCP version costs one SQL query, one Redis round trip, no OpenFGA request',
  { timeout: 60_000 },
  async () => {
    const world = await useWorld({ AUTHZ_CACHE: 'on' });
    const postgres = await createProxy(world.env['DATABASE_URL']!);
    const redis = await createProxy(world.env['REDIS_URL']!);
    const openfga = await createProxy(world.env['OPENFGA_API_URL']!);
    const gateway = await world.gateway({
      env: {
        DATABASE_URL: postgres.url,
        REDIS_URL: redis.url,
        OPENFGA_API_URL: openfga.url,
        PLANS_FILE: new URL('../../support/worlds/generous-plans.json', import.meta.url).pathname,
      },
    });
    const ada = await signUp(world, gateway);
    await selectTools(ada, ['calculator']);
    const body = { path: 'notes/a.md', text: '# Notes' };
    const made = await ada.person.ask({ path: '/api/me/resources', headers: ada.bearer, body });
    expect(made.status).toBe(201);
    const key = await createKey(ada, {
      mcp_capabilities: ['tools', 'resources'],
      resource_policy: { mode: 'whitelist', patterns: ['notes/**'] },
    });
    const session = await openSession(`${gateway.url}/mcp`, key.secret);
    const once = async ({ method, subject, params, session: id }: HotRequest) => {
      const isModern = id === undefined;
      const response = await fetch(`${gateway.url}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(isModern ? modernHeaders(method, subject) : { 'mcp-session-id': id }),
          'x-api-key': key.secret,
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method,
          params: isModern ? { ...params, _meta: envelope } : params,
        }),
      });
      const { result } = (await response.json()) as { result?: { isError?: boolean } };
      expect([response.status, result?.isError ?? result === undefined]).toEqual([200, false]);
    };

    for (const kind of [call, read, { ...call, session }, { ...read, session }]) {
      for (let warm = 0; warm < 5; warm += 1) await once(kind);
      const counts = () => [postgres.requests(), redis.requests(), openfga.requests()] as const;
      const before = counts();
      for (let index = 0; index < CALLS; index += 1) await once(kind);
      const [sql, redisTrips, openfgaRequests] = counts().map((now, index) => now - before[index]!);

      expect(sql, kind.method).toBeGreaterThanOrEqual(CALLS);
      expect(sql, kind.method).toBeLessThan(CALLS + BACKGROUND);
      expect(redisTrips, kind.method).toBeGreaterThanOrEqual(CALLS);
      expect(redisTrips, kind.method).toBeLessThan(CALLS + BACKGROUND);
      expect(openfgaRequests, kind.method).toBe(0);
    }
  },
);

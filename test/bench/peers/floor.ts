// The floor with state: the same POST, with the grouped authentication query and the admission
// script, and nothing of MCP or of authorization.
import { readFileSync } from 'node:fs';
import process from 'node:process';
import Fastify from 'fastify';
import { createAuthenticator } from '../../../src/keys/authenticate.ts';
import { readCredentials } from '../../../src/keys/credentials/store.ts';
import { allowanceOf } from '../../../src/limits/admission.ts';
import { createCounters } from '../../../src/limits/counters.ts';
import { createRemoteLimiter } from '../../../src/limits/remote-limiter.ts';
import { createBreaker } from '../../../src/platform/breaker.ts';
import { loadConfig } from '../../../src/platform/config.ts';
import { createDatabase } from '../../../src/platform/database.ts';
import { newId } from '../../../src/platform/ids.ts';
import { createRedis } from '../../../src/platform/redis.ts';

const config = loadConfig(process.env, (path) => readFileSync(path, 'utf8'));
const onIdleError = () => {};
const database = await createDatabase({ url: config.DATABASE_URL, onIdleError });
const redis = createRedis(config.REDIS_URL, config.REDIS_PREFIX, onIdleError);
const breaker = createBreaker({ now: () => performance.now(), opened() {}, closed() {} });
const limiter = createRemoteLimiter({
  counters: createCounters(redis),
  breaker,
  used: () => Promise.resolve(0),
});
const authenticate = createAuthenticator({
  read: (hashes) => readCredentials(database.hot, hashes),
  used: () => {},
});
const result = {
  content: [{ type: 'text', text: '{"ok":true}' }],
  structuredContent: { ok: true },
};

const app = Fastify();
// oxlint-disable-next-line oxc/no-async-endpoint-handlers -- Fastify awaits its handlers.
app.post('/mcp', async (request) => {
  const caller = await authenticate(String(request.headers['x-api-key']));
  const { owner } = caller;
  const asked = { owner, kind: 'tool_call', call_id: newId() } as const;
  await limiter.admit(asked, allowanceOf(config.plans, owner, 'tool_call'));
  return { jsonrpc: '2.0', id: (request.body as { id: number }).id, result };
});
await app.listen({ port: config.PORT, host: '127.0.0.1' });
process.on('SIGTERM', () => process.exit(0));
console.log('ready');
